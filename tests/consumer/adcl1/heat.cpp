// A program for ADCL 1.x in C++.
#include "heat.c"
