/** \file options.h
 * The problem to solve and the methods to use. */
#ifndef ADCL_APPS_UNSTRUCTURED_OPTIONS_H
#define ADCL_APPS_UNSTRUCTURED_OPTIONS_H

typedef struct UsOptions {
  int points; /**< points per rank */
  int fields;
  int levels;
  int partition;    /**< a value of enum UsPartition */
  int messages;     /**< a value of enum UsWay, for exchanges without ADCL */
  int steps;        /* *< number of steps; 0: the number of iterations determines the end */
  double tolerance; /* *< a step is solved if all residuals, relative to the right sides, are at most this */
  int spoil;        /* *< for tests: each exchange leaves a wrong value */
} UsOptions;

#endif
