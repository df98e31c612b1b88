# How we compile: ccache and mold where they are installed, strict warnings for our own code. The presets take clang:
# behind the precompiled torch header it needs 2-4 s a file where g++ needs 6-20 s, since it keeps template instances
# in the header. g++ works as well.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug" FORCE)
endif()

find_program(ARKS_CCACHE ccache)
if(ARKS_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # ccache takes a file behind a precompiled header only when it may ignore the time stamps in it. What a file includes
  # it learns from the compiler's list (DEPEND), not by preprocessing the file once more, which costs up to a second
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_DEPEND=1 ${ARKS_CCACHE})
  add_compile_options("$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>"
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

find_program(ARKS_MOLD mold)
if(ARKS_MOLD AND PROJECT_IS_TOP_LEVEL)
  add_link_options(-fuse-ld=mold)
endif()

# -g costs more time than the optimiser on files full of torch templates, so Release goes without
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

# Four files of a folder are compiled as one (a unity build of CMake): what they all spend on torch, JSON and settings
# is spent once. So names in unnamed namespaces must differ within a folder. -DARKS_BATCH=0, all of a folder as one,
# shows those that do not. -DARKS_BATCH=1, as the debug preset has it, is better for work on a few files.
function(arks_in_batches target)
  if(ARKS_BATCH EQUAL 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone)
      continue()
    endif()
    set(unit ${room})
    if(ARKS_BATCH)
      math(EXPR unit "${files_of_${room}} + 0")
      math(EXPR files_of_${room} "${unit} + 1")
      math(EXPR unit "${unit} / ${ARKS_BATCH}")
      set(unit ${room}_${unit})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()

function(arks_strict target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  if(ARKS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
