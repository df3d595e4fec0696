/** \file ADCL_v1.h
 *  For programs written for ADCL 1.x of the University of Houston: include this file instead of ADCL.h.
 *
 *  Macros map the names of 1.x to functions of this library whose names begin with ADCL_v1_. Handles are the same as in
 *  ADCL.h, so a program can be ported file by file, and can call functions of ADCL.h that 1.x lacks. docs/adcl1.md
 *  describes the differences from 1.x and how to port a program.
 *
 *  Functions return the codes of 1.x below. ADCL_Last_error() returns the call, the argument, its value and the remedy.
 *  "Collective" and "local" have the meaning of ADCL.h; functions are local unless stated otherwise. Every committed
 *  datatype is accepted; 1.x required basic datatypes.
 *
 *  Sources: thesis sections 3.3 and 4.1; the slides of HIPS 2007; the public header and manual of ADCL 1.x.
 */
#ifndef ADCL_V1_H
#define ADCL_V1_H

#include "ADCL.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results of 1.x ---------------------------------------------------------------------------------------------- */

#define ADCL_NO_MEMORY (-1)
#define ADCL_ERROR_INTERNAL (-2) /**< a call of MPI failed, or a defect of ADCL */
#define ADCL_USER_ERROR (-3)     /**< a call at the wrong time, or ranks that contradict each other */
#define ADCL_UNDEFINED (-4)      /**< not supported by the MPI library or by this version */
#define ADCL_NOT_FOUND (-5)      /**< a file, an option's value, or an applicable codelet was not found */
#define ADCL_CHANGE_OCCURED (-6) /**< never returned */
#define ADCL_CONTINUE (-7)       /**< ADCL_Request_progress: the operation is not complete */

#define ADCL_INVALID_ARG 10
#define ADCL_INVALID_NDIMS 11
#define ADCL_INVALID_DIMS 12
#define ADCL_INVALID_HWIDTH 13
#define ADCL_INVALID_DAT 14
#define ADCL_INVALID_DATA 15
#define ADCL_INVALID_VECTYPE 16
#define ADCL_INVALID_COMM 17
#define ADCL_INVALID_REQUEST 18
#define ADCL_INVALID_NC 19
#define ADCL_INVALID_TYPE 20
#define ADCL_INVALID_TOPOLOGY 21
#define ADCL_INVALID_ATTRIBUTE 22
#define ADCL_INVALID_ATTRSET 23
#define ADCL_INVALID_FUNCTION 24
#define ADCL_INVALID_WORK_FUNCTION_PTR 25
#define ADCL_INVALID_FNCTSET 26
#define ADCL_INVALID_VECTOR 27
#define ADCL_INVALID_VECTSET 28
#define ADCL_INVALID_DIRECTION 29
#define ADCL_INVALID_VMAP 30
#define ADCL_INVALID_OP 31
#define ADCL_INVALID_TIMER 33

/* ---- Other constants of 1.x -------------------------------------------------------------------------------------- */

#define ADCL_NULL_FNCT_PTR ((ADCL_work_fnct_ptr *)0)
#define ADCL_MAX_ATTRLEN 32
#define ADCL_MAX_NAMELEN 32
#define TIME_TYPE double

/** Kinds of vectors, the argument of ADCL_Vector_allocate and ADCL_Vector_register with eight arguments. */
#define ADCL_VECTOR_HALO 1
#define ADCL_VECTOR_ALL 2
#define ADCL_VECTOR_UP_TRIANG 3 /**< has no codelets, as in 1.x */
#define ADCL_VECTOR_LO_TRIANG 4 /**< has no codelets, as in 1.x */
#define ADCL_VECTOR_LIST 5
#define ADCL_VECTOR_ALLREDUCE 6
#define ADCL_VECTOR_INPLACE 7
#define ADCL_VECTOR_ALLTOALL 8
#define ADCL_VECTOR_REDUCE 9

/** Values of ADCL_EMETHOD_SEARCH_ALGO in config.adcl. */
#define ADCL_BRUTE_FORCE 0
#define ADCL_PERF_HYPO 1
#define ADCL_TWOK_FACTORIAL 2

/* ---- Environment ------------------------------------------------------------------------------------------------- */

/** Like ADCL_Init of ADCL.h, and reads `config.adcl` in the working directory, otherwise in the executable's directory,
 *  otherwise in ~/.adcl; lines `KEY: value`. Environment variables and the file of ADCL_CONFIG take precedence. Keys
 *  without an effect in this version are ignored; the report of ADCL_REPORT lists them.
 *  ADCL_NOT_FOUND: an invalid value; the library is then not initialized. */
ADCL_API int ADCL_v1_Init(void);
/** Like ADCL_Finalize of ADCL.h. Frees the remaining pointer arrays of vectors. */
ADCL_API int ADCL_v1_Finalize(void);
/** Like ADCL_Error_string of ADCL.h, for the codes above. */
ADCL_API const char *ADCL_v1_Error_string(int code);

/* ---- Vmap: elements to send and receive; the vectors provide the counts ------------------------------------------ */

ADCL_API int ADCL_v1_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap);
/** The whole vector: the contribution of a rank, or the blocks of all ranks that it collects or distributes. */
ADCL_API int ADCL_v1_Vmap_all_allocate(ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_list_allocate(int size, const int *counts, const int *displs, ADCL_Vmap *vmap);
/** The whole vector, combined by \p op. */
ADCL_API int ADCL_v1_Vmap_allreduce_allocate(MPI_Op op, ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_reduce_allocate(MPI_Op op, ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap *vmap);
/** MPI_IN_PLACE. Create the vector with 0 dimensions, no datatype and no data. */
ADCL_API int ADCL_v1_Vmap_inplace_allocate(ADCL_Vmap *vmap);
/** A vector keeps its vmap after the vmap is freed. */
ADCL_API int ADCL_v1_Vmap_free(ADCL_Vmap *vmap);

/* ---- Vector: the data and their vmap ----------------------------------------------------------------------------- */

/** Allocates memory for an array of \p ndims dimensions, and one more dimension of \p nc entries if \p nc > 0.
 *  \param data  result: T *data for one dimension; for more, arrays of pointers into contiguous memory, such as
 *               T **data with the entries data[i][j] for two dimensions. Valid until ADCL_Vector_free.
 *  Errors: ADCL_INVALID_NDIMS, _DIMS, _NC, _VMAP, _DAT, _ARG (data or vec), ADCL_NO_MEMORY. */
ADCL_API int ADCL_v1_Vector_allocate_generic(int ndims, const int *dims, int nc, ADCL_Vmap vmap, MPI_Datatype type,
                                             void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_free(ADCL_Vector *vec);
/** An array of the application.
 *  \param data  its first entry, or arrays of pointers as from ADCL_Vector_allocate_generic, which are recognized by
 *               their values: the addresses of all rows in order
 *  Errors: as above, and ADCL_INVALID_DATA (a null pointer). */
ADCL_API int ADCL_v1_Vector_register_generic(int ndims, const int *dims, int nc, ADCL_Vmap vmap, MPI_Datatype type,
                                             void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_deregister(ADCL_Vector *vec);
/** Like the generic functions with a vmap of \p vectype: ADCL_VECTOR_HALO with \p hwidth layers, or ADCL_VECTOR_ALL. */
ADCL_API int ADCL_v1_Vector_allocate(int ndims, const int *dims, int nc, int vectype, int hwidth, MPI_Datatype type,
                                     void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_register(int ndims, const int *dims, int nc, int vectype, int hwidth, MPI_Datatype type,
                                     void *data, ADCL_Vector *vec);

/* ---- Topology: processes and neighbors. All functions except ADCL_Topology_free are collective ------------------- */

ADCL_API int ADCL_v1_Topology_create(MPI_Comm comm, ADCL_Topology *topo);
/** A topology from explicit neighbors: \p nneigh pairs, which must be the \p ndims pairs along the axes; both 0: none.
 *  \p flip, the order of neighbors for codelets of 1.x, is ignored; it may be NULL.
 *  Errors: ADCL_UNDEFINED (more pairs: use ADCL_Topology_create_extended or a graph communicator), ... */
ADCL_API int ADCL_v1_Topology_create_generic(int ndims, int nneigh, const int *lneighbors, const int *flip,
                                             const int *rneighbors, const int *coords, int direction, MPI_Comm comm,
                                             ADCL_Topology *topo);
/** Corners in three dimensions are also neighbors; 1.x excluded them. */
ADCL_API int ADCL_v1_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology *topo);
ADCL_API int ADCL_v1_Topology_free(ADCL_Topology *topo);

/* ---- Attributes, functions, function sets ------------------------------------------------------------------------ */

ADCL_API int ADCL_v1_Attribute_create(int nvalues, const int *values, char *const *value_names, const char *name,
                                      ADCL_Attribute *attr);
ADCL_API int ADCL_v1_Attribute_free(ADCL_Attribute *attr);
ADCL_API int ADCL_v1_Attrset_create(int n, const ADCL_Attribute *attrs, ADCL_Attrset *attrset);
ADCL_API int ADCL_v1_Attrset_free(ADCL_Attrset *attrset);
ADCL_API int ADCL_v1_Function_create(ADCL_work_fnct_ptr *fn, ADCL_Attrset attrset, const int *values, const char *name,
                                     ADCL_Function *func);
ADCL_API int ADCL_v1_Function_create_async(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn,
                                           ADCL_Attrset attrset, const int *values, const char *name,
                                           ADCL_Function *func);
ADCL_API int ADCL_v1_Function_free(ADCL_Function *func);
ADCL_API int ADCL_v1_Fnctset_create(int n, const ADCL_Function *funcs, const char *name, ADCL_Fnctset *set);
/** \p excluded: \p nexcluded arrays of one value per attribute. */
ADCL_API int ADCL_v1_Fnctset_create_single(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn,
                                           ADCL_Attrset attrset, const char *name, int *const *excluded, int nexcluded,
                                           ADCL_Fnctset *set);
ADCL_API int ADCL_v1_Fnctset_free(ADCL_Fnctset *set);

/* ---- Request ----------------------------------------------------------------------------------------------------- */

/** Collective over the topology's communicator, like the two functions below. A vector that is not used on this rank
 * may be ADCL_VECTOR_NULL. For a broadcast, all ranks pass \p svec. */
ADCL_API int ADCL_v1_Request_create(ADCL_Vector vec, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req);
ADCL_API int ADCL_v1_Request_create_generic(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset set,
                                            ADCL_Request *req);
ADCL_API int ADCL_v1_Request_create_generic_rooted(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo,
                                                   ADCL_Fnctset set, int root, ADCL_Request *req);
ADCL_API int ADCL_v1_Request_free(ADCL_Request *req);
ADCL_API int ADCL_v1_Request_start(ADCL_Request req);
ADCL_API int ADCL_v1_Request_init(ADCL_Request req);
/** May be called after ADCL_Request_progress has completed the operation. */
ADCL_API int ADCL_v1_Request_wait(ADCL_Request req);
/** ADCL_CONTINUE while the operation is not complete, ADCL_SUCCESS from then on. */
ADCL_API int ADCL_v1_Request_progress(ADCL_Request req);
/** A null function pointer is allowed and does nothing. */
ADCL_API int ADCL_v1_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr *mid, ADCL_work_fnct_ptr *end,
                                           ADCL_work_fnct_ptr *total);
ADCL_API int ADCL_v1_Request_update(ADCL_Request req, double seconds);

/* Queries. The caller frees the texts and arrays, and the entries of arrays of texts, with free(). Pointers to results
 * may be null. */
ADCL_API int ADCL_v1_Request_get_comm(ADCL_Request req, MPI_Comm *comm, int *rank, int *size);
ADCL_API int ADCL_v1_Request_get_fsname(ADCL_Request req, char **name);
ADCL_API int ADCL_v1_Request_get_state(ADCL_Request req, int *state);
ADCL_API int ADCL_v1_Request_get_tndims(ADCL_Request req, int *tndims);
/** The running codelet, or the codelet that ran last, with its attributes. ADCL_USER_ERROR before the first start. */
ADCL_API int ADCL_v1_Request_get_curr_function(ADCL_Request req, char **name, char ***attr_names, int *nattrs,
                                               char ***value_names, int **values);
/** Seconds of the winner, and its outliers. ADCL_USER_ERROR while there is no winner. */
ADCL_API int ADCL_v1_Request_get_winner_stat(ADCL_Request req, double *filtered_avg, double *unfiltered_avg,
                                             double *outliers);
/** Arrays of \p n entries, one per codelet; 0 for a codelet without measurements. \p winner: index of the best codelet
 * so far; -1 if nothing was measured. */
ADCL_API int ADCL_v1_Request_save_status(ADCL_Request req, int *n, double **unfiltered_avg, double **filtered_avg,
                                         double **outliers, int *winner);
/** Collective. \p n is the result of ADCL_Request_save_status. */
ADCL_API int ADCL_v1_Request_restore_status(ADCL_Request req, int n, const double *unfiltered_avg,
                                            const double *filtered_avg, const double *outliers);

/* ---- Timer ------------------------------------------------------------------------------------------------------- */

ADCL_API int ADCL_v1_Timer_create(int n, const ADCL_Request *reqs, ADCL_Timer *timer);
ADCL_API int ADCL_v1_Timer_free(ADCL_Timer *timer);
ADCL_API int ADCL_v1_Timer_start(ADCL_Timer timer);
ADCL_API int ADCL_v1_Timer_stop(ADCL_Timer timer);

#ifdef __cplusplus
}
#endif

/* ---- The names of 1.x, unless the program defines ADCL_V1_WITHOUT_NAMES -------------------------------------------
 */

#ifndef ADCL_V1_WITHOUT_NAMES

#define ADCL_Init ADCL_v1_Init
#define ADCL_Finalize ADCL_v1_Finalize
#define ADCL_Error_string ADCL_v1_Error_string
#define ADCL_Vmap_halo_allocate ADCL_v1_Vmap_halo_allocate
#define ADCL_Vmap_all_allocate ADCL_v1_Vmap_all_allocate
#define ADCL_Vmap_list_allocate ADCL_v1_Vmap_list_allocate
#define ADCL_Vmap_allreduce_allocate ADCL_v1_Vmap_allreduce_allocate
#define ADCL_Vmap_reduce_allocate ADCL_v1_Vmap_reduce_allocate
#define ADCL_Vmap_alltoall_allocate ADCL_v1_Vmap_alltoall_allocate
#define ADCL_Vmap_inplace_allocate ADCL_v1_Vmap_inplace_allocate
#define ADCL_Vmap_free ADCL_v1_Vmap_free
#define ADCL_Vector_allocate_generic ADCL_v1_Vector_allocate_generic
#define ADCL_Vector_register_generic ADCL_v1_Vector_register_generic
#define ADCL_Vector_free ADCL_v1_Vector_free
#define ADCL_Vector_deregister ADCL_v1_Vector_deregister
#define ADCL_Topology_create ADCL_v1_Topology_create
#define ADCL_Topology_create_extended ADCL_v1_Topology_create_extended
#define ADCL_Topology_free ADCL_v1_Topology_free
#define ADCL_Attribute_create ADCL_v1_Attribute_create
#define ADCL_Attribute_free ADCL_v1_Attribute_free
#define ADCL_Attrset_create ADCL_v1_Attrset_create
#define ADCL_Attrset_free ADCL_v1_Attrset_free
#define ADCL_Function_create ADCL_v1_Function_create
#define ADCL_Function_create_async ADCL_v1_Function_create_async
#define ADCL_Function_free ADCL_v1_Function_free
#define ADCL_Fnctset_create ADCL_v1_Fnctset_create
#define ADCL_Fnctset_create_single ADCL_v1_Fnctset_create_single
#define ADCL_Fnctset_free ADCL_v1_Fnctset_free
#define ADCL_Request_create ADCL_v1_Request_create
#define ADCL_Request_create_generic ADCL_v1_Request_create_generic
#define ADCL_Request_create_generic_rooted ADCL_v1_Request_create_generic_rooted
#define ADCL_Request_free ADCL_v1_Request_free
#define ADCL_Request_start ADCL_v1_Request_start
#define ADCL_Request_init ADCL_v1_Request_init
#define ADCL_Request_wait ADCL_v1_Request_wait
#define ADCL_Request_progress ADCL_v1_Request_progress
#define ADCL_Request_start_overlap ADCL_v1_Request_start_overlap
#define ADCL_Request_update ADCL_v1_Request_update
#define ADCL_Request_get_comm ADCL_v1_Request_get_comm
#define ADCL_Request_get_fsname ADCL_v1_Request_get_fsname
#define ADCL_Request_get_state ADCL_v1_Request_get_state
#define ADCL_Request_get_tndims ADCL_v1_Request_get_tndims
#define ADCL_Request_get_curr_function ADCL_v1_Request_get_curr_function
#define ADCL_Request_get_winner_stat ADCL_v1_Request_get_winner_stat
#define ADCL_Request_save_status ADCL_v1_Request_save_status
#define ADCL_Request_restore_status ADCL_v1_Request_restore_status
#define ADCL_Timer_create ADCL_v1_Timer_create
#define ADCL_Timer_free ADCL_v1_Timer_free
#define ADCL_Timer_start ADCL_v1_Timer_start
#define ADCL_Timer_stop ADCL_v1_Timer_stop

/* These functions have several forms in 1.x, which differ in the number of arguments:
 * ADCL_Vector_allocate(ndims, dims, nc, vectype, hwidth, type, data, &vec): 8 arguments; 7 without vectype; 6 without
 * vectype and nc.
 * ADCL_Topology_create_generic(ndims, nneigh, lneighbors, flip, rneighbors, coords, direction, comm, &topo): 9
 * arguments; 7 without nneigh and flip. */
#define ADCL_V1_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, name, ...) name
#define ADCL_V1_ALLOCATE_6(ndims, dims, hwidth, type, data, vec) \
  ADCL_v1_Vector_allocate(ndims, dims, 0, ADCL_VECTOR_HALO, hwidth, type, data, vec)
#define ADCL_V1_ALLOCATE_7(ndims, dims, nc, hwidth, type, data, vec) \
  ADCL_v1_Vector_allocate(ndims, dims, nc, ADCL_VECTOR_HALO, hwidth, type, data, vec)
#define ADCL_V1_REGISTER_6(ndims, dims, hwidth, type, data, vec) \
  ADCL_v1_Vector_register(ndims, dims, 0, ADCL_VECTOR_HALO, hwidth, type, data, vec)
#define ADCL_V1_REGISTER_7(ndims, dims, nc, hwidth, type, data, vec) \
  ADCL_v1_Vector_register(ndims, dims, nc, ADCL_VECTOR_HALO, hwidth, type, data, vec)
#define ADCL_V1_GENERIC_7(ndims, lneighbors, rneighbors, coords, direction, comm, topo) \
  ADCL_v1_Topology_create_generic(ndims, ndims, lneighbors, NULL, rneighbors, coords, direction, comm, topo)
#define ADCL_Vector_allocate(...)                                                                                  \
  ADCL_V1_PICK(__VA_ARGS__, ADCL_V1_NO_SUCH_FORM, ADCL_v1_Vector_allocate, ADCL_V1_ALLOCATE_7, ADCL_V1_ALLOCATE_6, \
               ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM,             \
               ADCL_V1_NO_SUCH_FORM)                                                                               \
  (__VA_ARGS__)
#define ADCL_Vector_register(...)                                                                                  \
  ADCL_V1_PICK(__VA_ARGS__, ADCL_V1_NO_SUCH_FORM, ADCL_v1_Vector_register, ADCL_V1_REGISTER_7, ADCL_V1_REGISTER_6, \
               ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM,             \
               ADCL_V1_NO_SUCH_FORM)                                                                               \
  (__VA_ARGS__)
#define ADCL_Topology_create_generic(...)                                                              \
  ADCL_V1_PICK(__VA_ARGS__, ADCL_v1_Topology_create_generic, ADCL_V1_NO_SUCH_FORM, ADCL_V1_GENERIC_7,  \
               ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM, \
               ADCL_V1_NO_SUCH_FORM, ADCL_V1_NO_SUCH_FORM)                                             \
  (__VA_ARGS__)

#endif /* ADCL_V1_WITHOUT_NAMES */

#endif
