// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace taper::support {

/// The commit that this was built from, "unknown" outside a checkout; refreshed by every build.
extern char const* const git_commit;

/// Whether tracked files differed from that commit.
extern bool const git_dirty;

/// CMake's configuration, and the flags that were asked for.
extern char const* const build;

}  // namespace taper::support
