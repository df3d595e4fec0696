# Libraries for the Python wheel, in <build folder>/wheel: libadcl, the interposer and its engine. They contain the C++
# runtime library, and link to no MPI library: the process has loaded one. Build them with the target adcl_wheel.
#   ADCL_MPI_ALSO  version lines of further MPI libraries with the ABI of this one, separated by |, such as
#                  "MPICH Version: 5|Intel(R) MPI Library 2021": the libraries of the wheel run with each of them
set(ADCL_MPI_ALSO "" CACHE STRING "Version lines of further MPI libraries that the libraries of the wheel run with, separated by |")

# Python finds the library of a build that fits mpi4py's MPI library by this file.
set(adcl_description "${adcl_mpi_version}\n")
if(ADCL_MPI_STANDARD_ABI)
  string(APPEND adcl_description "standard ABI\n")
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/lib/libadcl.mpi" CONTENT "@adcl_description@" @ONLY)
if(NOT ADCL_SHARED OR ADCL_SANITIZE)
  return()
endif()
string(REPLACE "|" "\n" adcl_also "${ADCL_MPI_ALSO}")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/wheel/libadcl.mpi" CONTENT "@adcl_description@@adcl_also@\n" @ONLY)

# adcl_add_wheel_library(<target> <map> <of>...): a library of the wheel with the objects of the targets <of>, except that
# it also accepts the MPI libraries of ADCL_MPI_ALSO.
function(adcl_add_wheel_library target map)
  add_library(${target} SHARED EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/mpi/library.cpp")
  foreach(of IN LISTS ARGN)
    target_sources(${target} PRIVATE "$<FILTER:$<TARGET_OBJECTS:${of}>,EXCLUDE,src/mpi/library[.]cpp>")
  endforeach()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                               $<TARGET_PROPERTY:MPI::MPI_C,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target} PRIVATE "ADCL_MPI_ALSO=\"${ADCL_MPI_ALSO}\"" OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-Bsymbolic-functions LINKER:--strip-all
                                        LINKER:--gc-sections -static-libstdc++ -static-libgcc)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/wheel" LINKER_LANGUAGE CXX
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  adcl_strict(${target})
endfunction()

adcl_add_wheel_library(adcl_wheel_library "${PROJECT_SOURCE_DIR}/cmake/adcl.map" adcl_objects)
set_target_properties(adcl_wheel_library PROPERTIES OUTPUT_NAME adcl)
add_custom_target(adcl_wheel DEPENDS adcl_wheel_library)
if(TARGET adcl_interpose)
  adcl_add_wheel_library(adcl_wheel_engine "${PROJECT_SOURCE_DIR}/src/interpose/engine.map" adcl_objects adcl_interpose_engine)
  set_target_properties(adcl_wheel_engine PROPERTIES OUTPUT_NAME adcl-interpose-engine)
  # The engine is loaded by a program whose MPI library may be invisible to it.
  target_link_libraries(adcl_wheel_engine PRIVATE MPI::MPI_C)
  target_link_options(adcl_wheel_engine PRIVATE LINKER:--no-undefined)
  get_target_property(sources adcl_interpose SOURCES)
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/interpose/" REGEX "^preload/")
  add_library(adcl_wheel_interpose SHARED EXCLUDE_FROM_ALL ${sources})
  get_target_property(definitions adcl_interpose COMPILE_DEFINITIONS)
  list(FILTER definitions EXCLUDE REGEX "^ADCL_MPI_IDENTITY")
  string(REGEX MATCHALL "[^|0-9]+[0-9]+[^|]*" also "${ADCL_MPI_ALSO}")
  list(TRANSFORM also REPLACE "^([^0-9]*[0-9]+).*" "\\1")
  string(REGEX MATCH "^[^0-9]*[0-9]+" identities "${adcl_mpi_version}")
  list(JOIN also "|" also)
  target_compile_definitions(adcl_wheel_interpose PRIVATE ${definitions} "ADCL_MPI_IDENTITY=\"${identities}|${also}\"")
  foreach(property INCLUDE_DIRECTORIES COMPILE_OPTIONS LINK_OPTIONS LINK_LIBRARIES)
    get_target_property(values adcl_interpose ${property})
    set_property(TARGET adcl_wheel_interpose PROPERTY ${property} ${values})
  endforeach()
  target_link_options(adcl_wheel_interpose PRIVATE LINKER:--strip-all)
  set_target_properties(adcl_wheel_interpose PROPERTIES OUTPUT_NAME adcl-interpose CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/wheel" VISIBILITY_INLINES_HIDDEN ON LINKER_LANGUAGE C)
  add_dependencies(adcl_wheel adcl_wheel_engine adcl_wheel_interpose)
endif()

# The files of the wheel: adcl/lib/FOLDER, a folder for each MPI library.
install(DIRECTORY "${PROJECT_BINARY_DIR}/wheel/" DESTINATION "adcl/lib/${ADCL_MPI_FLAVOUR}" COMPONENT wheel EXCLUDE_FROM_ALL
        USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.so*" PATTERN "*.mpi")
