# SPDX-License-Identifier: Apache-2.0
#
# cmake -D SOURCE_DIR=... -D OUTPUT=... -D BUILD=... -P TaperGitVersion.cmake: writes a C++ file with the commit,
# whether the sources are modified, and the build. --no-optional-locks: git does not write to the repository, not even
# its index.

find_program(GIT git)
set(commit unknown)
set(dirty false)

if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND "${GIT}" --no-optional-locks rev-parse HEAD
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE head
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "${head}")
    execute_process(
      COMMAND "${GIT}" --no-optional-locks status --porcelain --untracked-files=no
      WORKING_DIRECTORY "${SOURCE_DIR}"
      OUTPUT_VARIABLE changes
      ERROR_QUIET)
    if(changes)
      set(dirty true)
    endif()
  endif()
endif()

file(
  CONFIGURE
  OUTPUT "${OUTPUT}"
  CONTENT
    [[// SPDX-License-Identifier: Apache-2.0
#include <support/git_version.hpp>

namespace taper::support {

char const* const git_commit = "@commit@";
bool const git_dirty = @dirty@;
char const* const build = "@BUILD@";

} // namespace taper::support
]]
  @ONLY)
