/** \file options.h
 *  What the program is asked to solve, and how.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_OPTIONS_H
#define ADCL_APPS_UNSTRUCTURED_OPTIONS_H

typedef struct UsOptions {
  int points; /**< per rank */
  int fields;
  int levels;
  int partition;    /**< of enum UsPartition */
  int messages;     /**< of enum UsWay, for exchanges without ADCL */
  int steps;        /**< to be solved; 0: as many as the iterations suffice for */
  double tolerance; /**< a step is solved when all residuals, relative to the right sides, are at most this */
  int spoil;        /**< for tests: each exchange leaves a wrong value */
} UsOptions;

#endif
