# Small files become part of a library, so that an installed program needs no files beside it.
#   arks_embed(<target> <header> <function> FILES…)   defines arks::<function>(name), which that header declares
function(arks_embed target header function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    file(READ ${file} content)
    # compilers need not take literals above 64 KiB, so a file is a list of its lines
    string(REGEX REPLACE "\n$" "" content "${content}")
    string(REPLACE "\\" "\\\\" content "${content}")
    string(REPLACE "\"" "\\\"" content "${content}")
    string(REPLACE "\n" "\\n\"\n     \"" content "${content}")
    string(APPEND entries "    {\"${name}\",\n     \"${content}\\n\"},\n")
  endforeach()
  set(ARKS_EMBEDDED_ENTRIES "${entries}")
  configure_file(cmake/embedded.cpp.in ${CMAKE_BINARY_DIR}/generated/${function}.cpp @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated/${function}.cpp)
endfunction()
