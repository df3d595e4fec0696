/** \file app.h
 *  What the applications of many fields share, for programs in C, C++ and Fortran: the command line, the exchange of
 *  fields by ADCL or by the program's own messages, with or without computing meanwhile, and the report.
 *
 *  Functions are called by all ranks alike. A failure that no argument of the command line explains ends the job with a
 *  message, by MPI_Abort. All times are seconds.
 */
#ifndef ADCL_APPS_COMMON_APP_H
#define ADCL_APPS_COMMON_APP_H

#include <ADCL.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Command line ------------------------------------------------------------------------------------------------ */

/** How computing and communication share the time. */
enum AppOverlap {
  APP_OVERLAP_NONE = 0,  /**< first all communication, then all work */
  APP_OVERLAP_INIT = 1,  /**< ADCL_Request_init, work with ADCL_Request_progress, ADCL_Request_wait */
  APP_OVERLAP_START = 2, /**< ADCL_Request_start_overlap: both are one measured unit */
};

/** What every application can be told. */
typedef struct AppSettings {
  int iterations; /**< of the run */
  int adcl;       /**< 1: by ADCL, 0: by the program's own messages */
  int joined;     /**< 1: all fields in one operation, 0: one after the other */
  int overlap;    /**< of enum AppOverlap */
  int quiet;      /**< 1: print nothing but errors */
} AppSettings;

/** What app_begin returns when the program is to go on; otherwise it returns the program's exit code. */
#define APP_RUN (-1)

/** Names the program, says in a line what it computes, and gives example calls, one a line; texts are kept, not copied.
 *  Calls follow of app_option, then one of app_begin. */
void app_program(const char *name, const char *summary, const char *examples);

/** An option of the program's own with \p n whole numbers from \p low to \p high, written 3x4x5 where there are
 * several; \p values holds the default. \p help is one line. */
void app_option(const char *name, const char *unit, int n, int low, int high, int *values, const char *help);

/** As app_option, but a word out of \p words, which are separated by spaces: \p value is its number from 0. */
void app_option_word(const char *name, const char *words, int *value, const char *help);

/** As app_option, but any text that is not empty and has less than \p size characters; \p value holds the default. */
void app_option_text(const char *name, const char *unit, int size, char *value, const char *help);

/** As app_option, but one real number that is at least \p low and less than \p high. */
void app_option_real(const char *name, const char *unit, double low, double high, double *value, const char *help);

/** For programs in which an iteration is not a time step of its own: \p steps becomes the N of --steps N, after which
 * the run is to end instead of settings->iterations, and 0 where the command line does not say it. In other programs
 *  --steps is another name of --iterations. */
void app_steps(int *steps);

/** For programs whose exchanges are no halos, and that have no --overlap: in place of the values of --exchange that the
 *  others have. \p names are separated by spaces, the first one is the default; those that begin with adcl are by ADCL.
 *  \p summaries has a line for each. \p value becomes the number of the one that is asked for, from 0. */
void app_exchanges(const char *names, const char *summaries, int *value);

/** Reads the command line of rank 0 and, where asked to, prints the help. \p settings->iterations holds the default;
 * with 0 it stays 0 where the command line says nothing, and the program knows better. Collective over MPI_COMM_WORLD.
 */
int app_begin(int argc, char **argv, AppSettings *settings);

/** For values that do not go with each other, after app_begin: says so on rank 0 and returns the exit code. */
int app_usage(const char *message);

/* ---- Exchanges --------------------------------------------------------------------------------------------------- */

/** What of a field is computed. */
enum AppPart {
  APP_INSIDE = 0,   /**< what needs no value of other ranks */
  APP_BOUNDARY = 1, /**< the rest */
  APP_ALL = 2,      /**< both */
};

/** Computes \p part of fields \p first to below \p last. */
typedef void AppWork(void *context, int part, int first, int last);

/** Begins, or ends, the messages of fields \p first to below \p last. */
typedef void AppMessages(void *context, int first, int last);

typedef struct AppExchange AppExchange;

/** By ADCL: \p n requests for \p fields fields, either one request for all of them or one for each. The exchange owns
 *  the requests from now on. */
AppExchange *app_exchange_adcl(int fields, int n, const ADCL_Request *requests, int overlap);

/** By the program's own messages: \p begin starts them without waiting for others, \p end completes them. Where there
 * is nothing to overlap with, \p begin may be all, and \p end NULL. APP_OVERLAP_START is the same as APP_OVERLAP_INIT
 * here. */
AppExchange *app_exchange_plain(int fields, int joined, AppMessages *begin, AppMessages *end, void *context,
                                int overlap);

/** Exchanges all fields and computes on them; \p work is called for all fields together, or for one after the other, as
 *  they are exchanged; NULL is no work. Collective. */
void app_exchange_run(AppExchange *exchange, AppWork *work, void *context);

/** For long work on APP_INSIDE, to be called now and then: lets ADCL advance what is under way. \p depth is the nesting
 *  level of the calling loop. */
void app_exchange_progress(AppExchange *exchange, int depth);

/** Collective. NULL is nothing to free. */
void app_exchange_free(AppExchange *exchange);

/* ---- Report ------------------------------------------------------------------------------------------------------ */

/** A line of the report, and an entry \p key of the JSON object. Strings are copied. */
void app_report_text(const char *key, const char *label, const char *value);
void app_report_whole(const char *key, const char *label, int64_t value);
void app_report_number(const char *key, const char *label, double value);

/** A checked number: the answer is wrong when \p value exceeds \p limit or is not a number. */
void app_report_check(const char *key, const char *label, double value, double limit);

/** A checksum over all bits of an answer. */
void app_report_checksum(const char *key, const char *label, uint64_t value);

/** For checksums: a number that depends on each bit of \p value. */
uint64_t app_mix(uint64_t value);

/** The same for a value of a field at a place: their sum over all places, in any order, is a checksum of the field. */
uint64_t app_mix_value(double value, uint64_t place);

/** A bar on rank 0's terminal: \p done from 0 to 1. */
void app_progress(double done);

/** Ends the report with the times, which are this rank's, and what the \p n exchanges cost and found; the first one
 * tells about the search. Prints it and writes the file of --json. Returns the exit code. Collective over
 * MPI_COMM_WORLD. */
int app_finish(double setup_s, double total_s, int n, AppExchange *const *exchanges);

/** Ends the job with ADCL's message unless \p code is ADCL_SUCCESS. */
void app_check(int code);

/** Ends the job with a message, for what cannot be gone on from. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void app_fail(const char *message);

#ifdef __cplusplus
}
#endif

#endif
