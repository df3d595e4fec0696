# The library: adcl_objects (what the tests link, everything visible to them) and adcl (what users link).

if(ADCL_SANITIZE)
  # GCC takes what it has instrumented itself, in std::function, for uninitialised.
  add_compile_options(-fsanitize=${ADCL_SANITIZE} -fno-omit-frame-pointer $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)
  add_link_options(-fsanitize=${ADCL_SANITIZE})
  # The sanitizers' own functions come with the program.
  set(adcl_no_undefined)
else()
  set(adcl_no_undefined "LINKER:--no-undefined")
endif()

# adcl_unite(<target>): the target's C++ files of one folder are compiled several at a time, where ADCL_UNITY is on: most of
# the time of a short file is that of the headers. Names of anonymous namespaces are then those of the folder: files whose
# names clash are named here.
set(adcl_united 8)
set(adcl_by_themselves
  "src/measure/"         # each method has its summarise and its judge
  "(^|/)fortran_calls|^messages" # of src/profile and src/interpose: macros with the names of those of c_calls.cpp, a mutex
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

# adcl_precompile(<target> [AS <other>]): the standard headers that most of its files want are read once, where ADCL_UNITY
# is on; with AS they were read for another target with the same flags.
function(adcl_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "AS" "")
  if(NOT ADCL_UNITY)
    return()
  endif()
  if(arg_AS)
    target_precompile_headers(${target} REUSE_FROM ${arg_AS})
    return()
  endif()
  set(headers algorithm array cmath functional limits map memory optional span string utility vector)
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# The compiler flags of all of ADCL's own C and C++ code.
function(adcl_strict target)
  adcl_unite(${target})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>
                                           $<$<AND:$<BOOL:${ADCL_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    # MPICH's MPI_STATUSES_IGNORE is the address 1, which GCC would otherwise take for an object of size 0.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:--param=min-pagesize=0>)
  endif()
endfunction()

function(adcl_add_library)
  add_library(adcl_objects OBJECT ${ARGN})
  set_target_properties(adcl_objects PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                                POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(adcl_objects PRIVATE ADCL_BUILD)
  # Ranks compute decisions: the same ones on processors with and without an instruction that multiplies and adds.
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
  set_target_properties(adcl PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX)
  target_include_directories(adcl PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<BUILD_INTERFACE:${adcl_generated_includes}>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # An installed ADCL brings the MPI of the project that uses it: adcl::mpi of adclConfig.cmake.
  target_link_libraries(adcl PUBLIC $<BUILD_INTERFACE:MPI::MPI_C> $<INSTALL_INTERFACE:adcl::mpi>)
  # The C++ bindings that mpi.h of old libraries brings would want a library of their own.
  target_compile_definitions(adcl INTERFACE $<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX=1>
                                            $<$<COMPILE_LANGUAGE:CXX>:MPICH_SKIP_MPICXX=1>)
endfunction()
