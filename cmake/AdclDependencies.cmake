# Dependencies except MPI: nlohmann/json and GoogleTest. If CMake finds no package, this file searches CMAKE_PREFIX_PATH
# for include/nlohmann/json.hpp, and for src/gtest_vendor or src/googletest/googletest.

find_package(nlohmann_json 3.7 QUIET)
if(NOT nlohmann_json_FOUND)
  find_path(ADCL_JSON_INCLUDE nlohmann/json.hpp DOC "Folder with nlohmann/json.hpp, version 3.7 or later" REQUIRED)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE "${ADCL_JSON_INCLUDE}")
endif()

# Sets ADCL_HAVE_GTEST; if it is ON, the targets GTest::gtest and GTest::gtest_main exist.
macro(adcl_find_gtest)
  find_package(GTest QUIET)
  set(ADCL_HAVE_GTEST ${GTest_FOUND})
  if(NOT GTest_FOUND)
    find_path(ADCL_GTEST_SOURCE src/gtest-all.cc PATH_SUFFIXES src/gtest_vendor src/googletest/googletest
              DOC "Folder with the sources of GoogleTest")
    if(ADCL_GTEST_SOURCE)
      set(ADCL_HAVE_GTEST ON)
      find_package(Threads REQUIRED)
      add_library(adcl_gtest STATIC EXCLUDE_FROM_ALL "${ADCL_GTEST_SOURCE}/src/gtest-all.cc")
      target_include_directories(adcl_gtest SYSTEM PUBLIC "${ADCL_GTEST_SOURCE}/include" PRIVATE "${ADCL_GTEST_SOURCE}")
      target_link_libraries(adcl_gtest PUBLIC Threads::Threads)
      add_library(GTest::gtest ALIAS adcl_gtest)
      add_library(adcl_gtest_main STATIC EXCLUDE_FROM_ALL "${ADCL_GTEST_SOURCE}/src/gtest_main.cc")
      target_link_libraries(adcl_gtest_main PUBLIC adcl_gtest)
      add_library(GTest::gtest_main ALIAS adcl_gtest_main)
    endif()
  endif()
endmacro()
