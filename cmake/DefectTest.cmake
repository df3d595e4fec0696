# Runs a program that reproduces a defect of the MPI library, and compares its result with the table of defects.
#   COMMAND   the launcher's command line
#   EXPECTED  ON if src/codelets/collectives/call_defects.def lists the library for this defect
#   LIBRARY   version string of the library
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
string(REGEX REPLACE "[\r\n]+DEFECT PRESENT" "" text "${output}")
message(STATUS "${text}${errors}")
if(output MATCHES "DEFECT PRESENT")
  set(found ON)
elseif(code EQUAL 0 AND output MATCHES "defect absent")
  set(found OFF)
else()
  message(FATAL_ERROR "the program printed no result; exit code ${code}")
endif()
if(found AND NOT EXPECTED)
  message(FATAL_ERROR "${LIBRARY} has the defect. Add this version to the row of the program in "
                      "src/codelets/collectives/call_defects.def and in docs/mpi-libraries.md")
elseif(EXPECTED AND NOT found)
  message(FATAL_ERROR "${LIBRARY} no longer has the defect. Remove this version from the row of the program in "
                      "src/codelets/collectives/call_defects.def and in docs/mpi-libraries.md")
endif()
