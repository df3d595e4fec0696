# Generates the constants of the predefined function sets, for C and Fortran, from src/codelets/sets.def. A handle is the sum
# of the null handle of function sets and the entry's number, counted from 1.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/codelets/sets.def)
set(adcl_generated_includes "${PROJECT_BINARY_DIR}/include")

file(READ src/codelets/sets.def text)
string(REGEX MATCHALL "ADCL_FUNCTION_SET\\([A-Z_]+,[^\"]+\"[^\"]+\"\\)" entries "${text}")
string(REGEX MATCHALL "ADCL_FUNCTION_SET\\(" all "${text}")
list(LENGTH entries number)
list(LENGTH all expected)
if(number EQUAL 0 OR NOT number EQUAL expected)
  message(FATAL_ERROR "src/codelets/sets.def: ${number} of ${expected} entries have the form "
                      "ADCL_FUNCTION_SET(NAME, function, \"summary\")")
endif()

set(null 0x38000000)
set(number 0)
foreach(entry IN LISTS entries)
  math(EXPR number "${number} + 1")
  string(REGEX REPLACE "^ADCL_FUNCTION_SET\\(([A-Z_]+),.*\"([^\"]+)\"\\)$" "ADCL_FNCTSET_\\1;\\2" words "${entry}")
  list(GET words 0 name)
  list(GET words 1 summary)
  math(EXPR hexadecimal "${null} + ${number}" OUTPUT_FORMAT HEXADECIMAL)
  math(EXPR decimal "${null} + ${number}")
  string(APPEND for_c "\n/** ${summary}. */\n#define ${name} ((ADCL_Fnctset)(intptr_t)${hexadecimal})\n")
  # The longest name does not fit into a single line of fixed form.
  string(APPEND for_inc "      integer ${name}\n      parameter (${name} = ${decimal})\n")
  string(APPEND for_module "  !> ${summary}.\n  type(ADCL_Fnctset), parameter, public :: &\n"
                           "    ${name} = ADCL_Fnctset(${decimal})\n")
endforeach()

# file(CONFIGURE) does not write an unchanged file, so nothing is rebuilt.
file(CONFIGURE OUTPUT "${adcl_generated_includes}/ADCL_sets.h" @ONLY CONTENT
"/** \\file ADCL_sets.h
 *  The predefined function sets, included by ADCL.h. Generated from src/codelets/sets.def. */
#ifndef ADCL_SETS_H
#define ADCL_SETS_H
@for_c@
#endif
")
file(CONFIGURE OUTPUT "${adcl_generated_includes}/ADCL_sets.inc" @ONLY CONTENT
"! The predefined function sets, included by ADCL.inc. Generated from src/codelets/sets.def.
@for_inc@")
file(CONFIGURE OUTPUT "${adcl_generated_includes}/adcl_sets_of_module.inc" @ONLY CONTENT
"! The predefined function sets, included by module adcl_types. Generated from src/codelets/sets.def.
@for_module@")
