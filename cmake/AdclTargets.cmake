# Targets of the library: adcl_objects, whose internal symbols tests can use, and adcl, which users link.

if(ADCL_SANITIZE)
  # GCC's instrumentation of std::function causes false warnings about uninitialized variables.
  add_compile_options(-fsanitize=${ADCL_SANITIZE} -fno-omit-frame-pointer $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)
  add_link_options(-fsanitize=${ADCL_SANITIZE})
  # The program provides the functions of the sanitizers.
  set(adcl_no_undefined)
else()
  set(adcl_no_undefined "LINKER:--no-undefined")
endif()

# Version of the binary interface: the number in libadcl.so.<n> and in the symbol version ADCL_<n> (cmake/adcl.map). Increase
# it if a function is removed, or if a program that was built before no longer works; independent of the project's version.
set(adcl_abi 1)

# adcl_unite(<target>): with ADCL_UNITY, compiles the target's C++ files of a folder several at a time, because headers
# dominate the compile time of short files. Anonymous namespaces of a folder then share one scope; adcl_by_themselves
# lists the files whose names would clash.
set(adcl_united 8)
set(adcl_by_themselves
  "src/measure/"         # each method defines summarize and judge
  # src/profile and src/interpose: macros with the same names as in c_calls.cpp, and a mutex
  "(^|/)fortran_|^messages"
  "^preload/"            # missing.cpp includes mpi.h, preload.cpp must not
)
function(adcl_unite target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  list(JOIN adcl_by_themselves "|" alone)
  list(FILTER sources EXCLUDE REGEX "${alone}")
  list(LENGTH sources number)
  if(NOT ADCL_UNITY OR number LESS 2)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND in_${folder} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(SORT in_${folder})
    list(LENGTH in_${folder} number)
    math(EXPR parts "(${number} + ${adcl_united} - 1) / ${adcl_united}")
    set(index 0)
    foreach(source IN LISTS in_${folder})
      math(EXPR part "${index} * ${parts} / ${number}")
      math(EXPR index "${index} + 1")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${part}")
    endforeach()
  endforeach()
endfunction()

# adcl_precompile(<target> [AS <other>] [WITH <header>...]): with ADCL_UNITY, precompiles the standard headers that most
# files include, and the headers WITH. AS reuses the precompiled headers of another target with the same flags.
function(adcl_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "AS" "WITH")
  if(NOT ADCL_UNITY)
    return()
  endif()
  if(arg_AS)
    target_precompile_headers(${target} REUSE_FROM ${arg_AS})
    return()
  endif()
  set(headers algorithm array cmath functional limits map memory optional span string utility vector
              ${arg_WITH})
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# adcl_strict(<target>): compiler flags of all C and C++ code of the project.
function(adcl_strict target)
  adcl_unite(${target})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>
                                           $<$<AND:$<BOOL:${ADCL_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    # MPICH's MPI_STATUSES_IGNORE is the address 1, which GCC otherwise treats as an object of size 0.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:--param=min-pagesize=0>)
  endif()
endfunction()

function(adcl_add_library)
  add_library(adcl_objects OBJECT ${ARGN})
  set_target_properties(adcl_objects PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                                POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(adcl_objects PRIVATE ADCL_BUILD)
  # All ranks must compute the same decisions, on processors with and without fused multiply-add.
  target_compile_options(adcl_objects PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>)
  target_include_directories(adcl_objects PUBLIC "${PROJECT_SOURCE_DIR}/include" "${adcl_generated_includes}"
                                                 "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(adcl_objects PUBLIC adcl_mpi nlohmann_json::nlohmann_json)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/mpi/library.cpp" PROPERTIES COMPILE_DEFINITIONS
    "ADCL_MPI_VERSION=\"${adcl_mpi_version}\";ADCL_MPI_STANDARD_ABI=$<BOOL:${ADCL_MPI_STANDARD_ABI}>")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/tuner/problem_history.cpp" PROPERTIES COMPILE_DEFINITIONS
    "ADCL_VERSION_TEXT=\"${PROJECT_VERSION}\"")
  adcl_strict(adcl_objects)
  adcl_precompile(adcl_objects)

  if(ADCL_SHARED)
    add_library(adcl SHARED)
    set(map "${PROJECT_SOURCE_DIR}/cmake/adcl.map")
    target_link_options(adcl PRIVATE "LINKER:--version-script=${map}" ${adcl_no_undefined})
    set_property(TARGET adcl APPEND PROPERTY LINK_DEPENDS "${map}")
  else()
    add_library(adcl STATIC)
  endif()
  add_library(adcl::adcl ALIAS adcl)
  target_sources(adcl PRIVATE $<TARGET_OBJECTS:adcl_objects>)
  set_target_properties(adcl PROPERTIES VERSION ${adcl_abi}.${PROJECT_VERSION} SOVERSION ${adcl_abi} LINKER_LANGUAGE CXX)
  target_include_directories(adcl PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<BUILD_INTERFACE:${adcl_generated_includes}>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # An installed ADCL uses the MPI of the user's project: adcl::mpi in adclConfig.cmake.
  target_link_libraries(adcl PUBLIC $<BUILD_INTERFACE:MPI::MPI_C> $<INSTALL_INTERFACE:adcl::mpi>)
  # The C++ bindings in mpi.h of old MPI libraries would need an additional library.
  target_compile_definitions(adcl INTERFACE $<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX=1>
                                            $<$<COMPILE_LANGUAGE:CXX>:MPICH_SKIP_MPICXX=1>)
endfunction()
