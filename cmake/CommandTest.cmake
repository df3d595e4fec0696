# Runs a program, and compares its exit code and its output:
#   cmake -DCOMMAND=<launcher;...;program;arguments> -DNAME=<program> -DCODE=<code> -DSAYS=<regular expression> -P CommandTest.cmake
# Launchers also write to standard error; lines of the program start with its name. The program must report an error once,
# for any number of ranks. Lines with " is skipped: " are not errors.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors TIMEOUT 280)
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}\n${output}\n${errors}")
endif()
if(NOT "${output}${errors}" MATCHES "${SAYS}")
  message(FATAL_ERROR "'${SAYS}' is missing in\n${output}\n${errors}")
endif()
string(REGEX MATCHALL "${NAME}: [^\n;]*" complaints "${errors}")
list(FILTER complaints EXCLUDE REGEX " is skipped: ")
list(LENGTH complaints count)
if((CODE EQUAL 0 AND count GREATER 0) OR (CODE EQUAL 2 AND NOT count EQUAL 1))
  message(FATAL_ERROR "${count} complaints with exit code ${CODE}:\n${errors}")
endif()
