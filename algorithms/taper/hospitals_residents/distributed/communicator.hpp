// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>

/// Shorter names for what this folder and apps/mpi use of taper/distributed/.
namespace taper::hospitals_residents {

using taper::CollectiveError;

namespace detail {

using distributed::Blocks;
using distributed::Buffer;
using distributed::Communicator;
using distributed::gather_blocks;
using distributed::longest_message;
using distributed::make_blocks;
using distributed::Messages;
using distributed::SortByHome;
using distributed::wait_for;

}  // namespace detail
}  // namespace taper::hospitals_residents
