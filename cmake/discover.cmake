# A test program says itself which tests it has, so that none can be left out.
#   arks_discover(<program> <prefix>)
# After the program is linked it lists its suites, and each becomes a test of ctest named <prefix>.<suite>, with the
# properties in ARKS_TEST_PROPERTIES of the target. Not one process per test, as gtest_discover_tests has it: there are
# more than 1500 tests, most take milliseconds, and every start of a program with libtorch takes a third of a second.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ARKS_DISCOVER_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(arks_discover program prefix)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
    add_custom_command(TARGET ${program} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D PREFIX=${prefix} -D LIST=${list}
        -D "PROPERTIES=$<TARGET_PROPERTY:${program},ARKS_TEST_PROPERTIES>" -P ${ARKS_DISCOVER_SCRIPT}
      BYPRODUCTS ${list} VERBATIM)
    # a program that was not built is a failure and not a test less
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake)
    file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
      "  add_test(${prefix}_NOT_BUILT ${program}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()

  # arks_suite_properties(<program> <prefix>.<suite> name value…): of one of its suites
  function(arks_suite_properties program test)
    string(REPLACE ";" "\" \"" properties "${ARGN}")
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${test}_properties.cmake)
    file(WRITE ${include} "if(EXISTS \"${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake\")\n"
      "  set_tests_properties(${test} PROPERTIES \"${properties}\")\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()
  return()
endif()

execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${result}\n${output}")
endif()
get_filename_component(folder ${PROGRAM} DIRECTORY)
# "Suite.", and its tests below it, two blanks in; a comment may follow
string(REGEX MATCHALL "(^|\n)[^ \n][^ \n]*\\.[^\n]*" suites "${output}")
list(TRANSFORM PROPERTIES REPLACE "(.+)" "[=[\\1]=]")
list(JOIN PROPERTIES " " properties)
set(tests "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n?([^ ]*)\\..*" "\\1" suite "${suite}")
  # skipped means that nothing ran and nothing failed, so the list of what was skipped is the end of the output
  string(APPEND tests "add_test([=[${PREFIX}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
    "set_tests_properties([=[${PREFIX}.${suite}]=] PROPERTIES WORKING_DIRECTORY [=[${folder}]=]\n"
    "  SKIP_REGULAR_EXPRESSION [=[PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$]=] ${properties})\n")
endforeach()
if(NOT tests)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${LIST} "${tests}")
