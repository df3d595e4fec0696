/** \file app.h
 * Common parts of the applications with many fields, for programs in C, C++ and Fortran: the command line, the
 * exchange of fields by ADCL or by the program's own messages, with or without overlap, and the report.
 *
 * All ranks call the functions. A failure that no command-line argument explains ends the job with a message, by
 * MPI_Abort. All times are seconds. */
#ifndef ADCL_APPS_COMMON_APP_H
#define ADCL_APPS_COMMON_APP_H

#include <ADCL.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Command line ------------------------------------------------------------------------------------------------ */

/** How computation and communication are combined. */
enum AppOverlap {
  APP_OVERLAP_NONE = 0,  /* *< all communication, then all computation */
  APP_OVERLAP_INIT = 1,  /**< ADCL_Request_init, work with ADCL_Request_progress, ADCL_Request_wait */
  APP_OVERLAP_START = 2, /* *< ADCL_Request_start_overlap: both are one measured unit */
};

/** Options of every application. */
typedef struct AppSettings {
  int iterations; /* *< of the run */
  int adcl;       /**< 1: by ADCL, 0: by the program's own messages */
  int joined;     /**< 1: all fields in one operation, 0: one after the other */
  int overlap;    /**< a value of enum AppOverlap */
  int quiet;      /**< 1: print nothing but errors */
} AppSettings;

/** Return value of app_begin if the program should continue; otherwise app_begin returns the program's exit code. */
#define APP_RUN (-1)

/** Sets the program's name, a one-line summary, and example calls, one per line. The texts are kept, not copied.
 * Call it before app_option and app_begin. */
void app_program(const char *name, const char *summary, const char *examples);

/** Adds an option of the program with \p n whole numbers from \p low to \p high, written 3x4x5 if \p n > 1. \p
 * values holds the default. \p help is one line. */
void app_option(const char *name, const char *unit, int n, int low, int high, int *values, const char *help);

/** Like app_option, but the value is one of \p words, which are separated by spaces: \p value is its index from 0. */
void app_option_word(const char *name, const char *words, int *value, const char *help);

/** Like app_option, but the value is any nonempty text of less than \p size characters; \p value holds the default. */
void app_option_text(const char *name, const char *unit, int size, char *value, const char *help);

/** Like app_option, but the value is one real number that is at least \p low and less than \p high. */
void app_option_real(const char *name, const char *unit, double low, double high, double *value, const char *help);

/** For programs in which an iteration is not a time step. \p steps becomes the N of --steps N, or 0 without this
 * option. The run then ends after N steps instead of settings->iterations. In other programs --steps is another name
 * for --iterations. */
void app_steps(int *steps);

/** For programs whose exchanges are not halo exchanges and that have no --overlap: replaces the values of
 * --exchange. \p names are separated by spaces; the first name is the default, and names that begin with adcl use
 * ADCL. \p summaries has one line per name. \p value becomes the index of the selected name, from 0. */
void app_exchanges(const char *names, const char *summaries, int *value);

/** Parses rank 0's command line, and prints the help on request. \p settings->iterations holds the default; a
 * default of 0 remains 0 without --iterations, so that the program chooses the number. Collective over
 * MPI_COMM_WORLD. */
int app_begin(int argc, char **argv, AppSettings *settings);

/** Call it after app_begin if values are incompatible: prints the message on rank 0 and returns the exit code. */
int app_usage(const char *message);

/* ---- Exchanges --------------------------------------------------------------------------------------------------- */

/** Parts of the computation on a field. */
enum AppPart {
  APP_INSIDE = 0,   /* *< values that need no data of other ranks */
  APP_BOUNDARY = 1, /* *< all other values */
  APP_ALL = 2,      /**< both */
};

/** Computes \p part of fields \p first to below \p last. */
typedef void AppWork(void *context, int part, int first, int last);

/** Begins, or ends, the messages of fields \p first to below \p last. */
typedef void AppMessages(void *context, int first, int last);

typedef struct AppExchange AppExchange;

/** Creates an exchange by ADCL: \p n requests for \p fields fields, either one request for all fields or one for each
 *  field. Takes ownership of the requests. */
AppExchange *app_exchange_adcl(int fields, int n, const ADCL_Request *requests, int overlap);

/** Creates an exchange by the program's own messages: \p begin starts them without waiting for other ranks, \p end
 * completes them. Without overlap, \p begin may do everything and \p end be NULL. APP_OVERLAP_START is the same as
 * APP_OVERLAP_INIT here. */
AppExchange *app_exchange_plain(int fields, int joined, AppMessages *begin, AppMessages *end, void *context,
                                int overlap);

/** Exchanges all fields and computes on them. Calls \p work for all fields together or for one after the other, as
 * they are exchanged; NULL: no work. Collective. */
void app_exchange_run(AppExchange *exchange, AppWork *work, void *context);

/** Call it repeatedly during long work on APP_INSIDE: ADCL makes progress on the active exchange. \p depth is the
 * nesting level of the calling loop. */
void app_exchange_progress(AppExchange *exchange, int depth);

/** Collective. Ignores NULL. */
void app_exchange_free(AppExchange *exchange);

/* ---- Report ------------------------------------------------------------------------------------------------------ */

/** Adds a line to the report, and an entry \p key to the JSON object. Strings are copied. */
void app_report_text(const char *key, const char *label, const char *value);
void app_report_whole(const char *key, const char *label, int64_t value);
void app_report_number(const char *key, const char *label, double value);

/** A checked number: the answer is wrong if \p value exceeds \p limit or is not a number. */
void app_report_check(const char *key, const char *label, double value, double limit);

/** A checksum of all bits of an answer. */
void app_report_checksum(const char *key, const char *label, uint64_t value);

/** A hash of \p value for checksums; it depends on each bit. */
uint64_t app_mix(uint64_t value);

/** A hash of a field's value at a place. The sum over all places, in any order, is a checksum of the field. */
uint64_t app_mix_value(double value, uint64_t place);

/** Shows a progress bar on rank 0's terminal: \p done from 0 to 1. */
void app_progress(double done);

/** Completes the report with this rank's times, and with the costs and results of the \p n exchanges; the search of the
 * first exchange is described. Prints the report and writes the file of --json. Returns the exit code. Collective over
 * MPI_COMM_WORLD. */
int app_finish(double setup_s, double total_s, int n, AppExchange *const *exchanges);

/** Ends the job with ADCL's message unless \p code is ADCL_SUCCESS. */
void app_check(int code);

/** Ends the job with a message, after an error that prevents the program from continuing. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void app_fail(const char *message);

#ifdef __cplusplus
}
#endif

#endif
