// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace taper::support {

/// The commit of the sources; "unknown" outside a checkout. Updated by every build.
extern char const* const git_commit;

/// Whether tracked files differed from this commit.
extern bool const git_dirty;

/// The CMake configuration and the compiler flags that the user set.
extern char const* const build;

}  // namespace taper::support
