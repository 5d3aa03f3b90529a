# SPDX-License-Identifier: Apache-2.0
#
# Target docs: the API reference from the docstrings, in build/PRESET/docs/html/index.html. A warning of Doxygen is an error.
find_package(Doxygen 1.9 QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_PROJECT_NAME Taper)
set(DOXYGEN_PROJECT_NUMBER ${PROJECT_VERSION})
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/docs")
set(DOXYGEN_STRIP_FROM_INC_PATH "${PROJECT_SOURCE_DIR}/core" "${PROJECT_SOURCE_DIR}/algorithms")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}")
set(DOXYGEN_EXCLUDE_SYMBOLS "*::detail" "*::detail::*")
set(DOXYGEN_FILE_PATTERNS "*.hpp")
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_MARKDOWN_SUPPORT NO) # comments are plain text: their stars and underscores are no markup
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED "KOKKOS_FUNCTION=" "KOKKOS_INLINE_FUNCTION=" "KOKKOS_FORCEINLINE_FUNCTION=")
doxygen_add_docs(docs "${PROJECT_SOURCE_DIR}/core" "${PROJECT_SOURCE_DIR}/algorithms" COMMENT "Writing the API reference")
