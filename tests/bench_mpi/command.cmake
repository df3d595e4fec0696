# Starts adcl-bench and compares its exit code and what it says:
#   cmake -DCOMMAND=<launcher;...;program;arguments> -DCODE=<exit code> -DSAYS=<regular expression> -P command.cmake
# A mistake is complained about once, however many ranks there are.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors TIMEOUT 40)
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}\n${output}\n${errors}")
endif()
if(NOT "${output}${errors}" MATCHES "${SAYS}")
  message(FATAL_ERROR "'${SAYS}' is missing in\n${output}\n${errors}")
endif()
string(REGEX MATCHALL "(^|\n)adcl-bench: " complaints "${errors}")
list(LENGTH complaints count)
if(CODE EQUAL 2 AND NOT count EQUAL 1)
  message(FATAL_ERROR "${count} complaints with exit code ${CODE}:\n${errors}")
endif()
