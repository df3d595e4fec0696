# Runs a program that shows a defect of the MPI library, and compares its verdict with the table.
#   COMMAND   the launcher's command line
#   EXPECTED  whether the library has the defect, by its rows in src/codelets/collectives/call_defects.def
#   LIBRARY   what the library says of itself
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE said ERROR_VARIABLE errors RESULT_VARIABLE code)
string(REGEX REPLACE "[\r\n]+DEFECT PRESENT" "" text "${said}")
message(STATUS "${text}${errors}")
if(said MATCHES "DEFECT PRESENT")
  set(found ON)
elseif(code EQUAL 0 AND said MATCHES "defect absent")
  set(found OFF)
else()
  message(FATAL_ERROR "the program has no verdict: it ended with ${code}")
endif()
if(found AND NOT EXPECTED)
  message(FATAL_ERROR "${LIBRARY} has the defect. Add this version to the row of the program in "
                      "src/codelets/collectives/call_defects.def and in docs/mpi-libraries.md")
elseif(EXPECTED AND NOT found)
  message(FATAL_ERROR "${LIBRARY} does not have the defect any more. Remove this version from the row of the program in "
                      "src/codelets/collectives/call_defects.def and in docs/mpi-libraries.md")
endif()
