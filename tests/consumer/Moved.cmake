# Copies an installed ADCL to another folder, and uses it there:
#   cmake -DPREFIX=<installed ADCL> -DWORK=<folder> -DPROJECT=<folder> -DLIBDIR=<lib> -DARGUMENTS=<...> -P Moved.cmake
# No file of the CMake and pkg-config packages may contain the former prefix, and the built program loads the library from
# the new folder.
file(REMOVE_RECURSE "${WORK}")
file(COPY "${PREFIX}/" DESTINATION "${WORK}/prefix")
file(GLOB_RECURSE packages "${WORK}/prefix/*.cmake" "${WORK}/prefix/*.pc" "${WORK}/prefix/*.lua")
if(NOT packages)
  message(FATAL_ERROR "${WORK}/prefix has no package files")
endif()
foreach(file IN LISTS packages)
  file(READ "${file}" text)
  string(FIND "${text}" "${PREFIX}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} contains the former prefix ${PREFIX}")
  endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S "${PROJECT}" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/prefix" ${ARGUMENTS}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build "${WORK}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ldd "${WORK}/build/heat" OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
if(NOT libraries MATCHES "libadcl[.]so[.][0-9]+ => ${WORK}/prefix/${LIBDIR}/")
  message(FATAL_ERROR "the program loads another library than that in ${WORK}/prefix/${LIBDIR}:\n${libraries}")
endif()
