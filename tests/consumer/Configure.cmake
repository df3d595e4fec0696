# Configures a project with an installed ADCL, and checks the result:
#   cmake -DPREFIX=<installed ADCL> -DPROJECT=<folder> -DWORK=<folder> -DSAYS=<expression> -DRECORDED=<MPI library>
#         -DARGUMENTS=<...> -P Configure.cmake
# Without SAYS it must succeed; otherwise it must fail with this message. RECORDED: use a copy of ADCL in another
# folder, with this recorded MPI library.
file(REMOVE_RECURSE "${WORK}")
if(RECORDED)
  file(COPY "${PREFIX}/" DESTINATION "${WORK}/prefix")
  file(GLOB_RECURSE package "${WORK}/prefix/adclConfig.cmake")
  file(READ "${package}" text)
  string(REGEX REPLACE "\\(adcl_mpi_built_with \"[^\"]*\"" "(adcl_mpi_built_with \"${RECORDED}\"" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${package} does not record the MPI library")
  endif()
  file(WRITE "${package}" "${changed}")
  set(PREFIX "${WORK}/prefix")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S "${PROJECT}" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${PREFIX}" ${ARGUMENTS}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
# CMake wraps the lines of messages.
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
if(SAYS STREQUAL "")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "configuring failed: ${errors}")
  endif()
elseif(code EQUAL 0)
  message(FATAL_ERROR "configuring did not fail:\n${output}")
elseif(NOT errors MATCHES "${SAYS}")
  message(FATAL_ERROR "'${SAYS}' is missing in\n${errors}")
endif()
