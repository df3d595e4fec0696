/** \file ADCL_v1.h
 *  For programs written for ADCL 1.x of the University of Houston: include this file instead of ADCL.h.
 *
 *  The names of 1.x, with its arguments, become functions of this library whose names begin with ADCL_v1_. All else is
 *  as ADCL.h says: the handles are the same, so that a program can be moved file by file, and what ADCL.h has and 1.x
 *  had not can be called as well. docs/adcl1.md says what differs from 1.x and how to move on.
 *
 *  Results are the codes of 1.x below. ADCL_Last_error() explains a failure: call, argument, value and remedy.
 *  "Collective" and "local" are as in ADCL.h; what is not said to be collective is local. Datatypes may be any that are
 *  committed, where 1.x wanted basic ones.
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
#define ADCL_UNDEFINED (-4)      /**< the MPI library cannot do it, or it is not in this version */
#define ADCL_NOT_FOUND (-5)      /**< a file, an option's value, or a codelet that could do it */
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
#define ADCL_VECTOR_UP_TRIANG 3 /**< has no codelets, in 1.x neither */
#define ADCL_VECTOR_LO_TRIANG 4 /**< has no codelets, in 1.x neither */
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

/** As ADCL_Init of ADCL.h, and reads `config.adcl`: of the working directory, else of the executable's directory, else
 *  of ~/.adcl; lines `KEY: value`. An environment variable, and the file that ADCL_CONFIG names, win over it. Keys that
 *  mean nothing today are ignored, and listed in the report that ADCL_REPORT asks for.
 *  ADCL_NOT_FOUND: a value that is wrong; the library is then not initialised. */
ADCL_API int ADCL_v1_Init(void);
/** As ADCL_Finalize of ADCL.h. The pointer arrays of vectors end here at the latest. */
ADCL_API int ADCL_v1_Finalize(void);
/** As ADCL_Error_string of ADCL.h, for the codes above. */
ADCL_API const char *ADCL_v1_Error_string(int code);

/* ---- Vmap: which elements go where; the counts come from the vectors --------------------------------------------- */

ADCL_API int ADCL_v1_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap);
/** All of the vector: what a rank contributes, or the blocks of all ranks where it collects or distributes them. */
ADCL_API int ADCL_v1_Vmap_all_allocate(ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_list_allocate(int size, const int *counts, const int *displs, ADCL_Vmap *vmap);
/** All of the vector, combined by \p op. */
ADCL_API int ADCL_v1_Vmap_allreduce_allocate(MPI_Op op, ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_reduce_allocate(MPI_Op op, ADCL_Vmap *vmap);
ADCL_API int ADCL_v1_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap *vmap);
/** MPI_IN_PLACE. The vector is made with 0 dimensions, no datatype and no data. */
ADCL_API int ADCL_v1_Vmap_inplace_allocate(ADCL_Vmap *vmap);
/** Vectors keep the vmap that they were made with. */
ADCL_API int ADCL_v1_Vmap_free(ADCL_Vmap *vmap);

/* ---- Vector: the data and their vmap ----------------------------------------------------------------------------- */

/** New memory for an array of \p ndims dimensions, and one more of \p nc entries where \p nc > 0.
 *  \param data  where the array is stored: T *data for one dimension; with more, pointers to pointers over contiguous
 *               memory, such as T **data for two, of which data[i][j] is an entry. Both live until ADCL_Vector_free
 *  Errors: ADCL_INVALID_NDIMS, _DIMS, _NC, _VMAP, _DAT, _ARG (data or vec), ADCL_NO_MEMORY. */
ADCL_API int ADCL_v1_Vector_allocate_generic(int ndims, const int *dims, int nc, ADCL_Vmap vmap, MPI_Datatype type,
                                             void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_free(ADCL_Vector *vec);
/** An array of the application's.
 *  \param data  its first entry, or pointers to pointers over contiguous memory, such as ADCL_Vector_allocate_generic
 *               makes; those are told by their values, which must be the addresses of all rows, one after the other
 *  Errors: as above, and ADCL_INVALID_DATA (a null pointer). */
ADCL_API int ADCL_v1_Vector_register_generic(int ndims, const int *dims, int nc, ADCL_Vmap vmap, MPI_Datatype type,
                                             void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_deregister(ADCL_Vector *vec);
/** As the generic ones with a vmap of \p vectype: ADCL_VECTOR_HALO with \p hwidth layers, or ADCL_VECTOR_ALL. */
ADCL_API int ADCL_v1_Vector_allocate(int ndims, const int *dims, int nc, int vectype, int hwidth, MPI_Datatype type,
                                     void *data, ADCL_Vector *vec);
ADCL_API int ADCL_v1_Vector_register(int ndims, const int *dims, int nc, int vectype, int hwidth, MPI_Datatype type,
                                     void *data, ADCL_Vector *vec);

/* ---- Topology: who takes part. All but ADCL_Topology_free are collective over the communicator --------------------
 */

ADCL_API int ADCL_v1_Topology_create(MPI_Comm comm, ADCL_Topology *topo);
/** Neighbours stated explicitly: \p nneigh pairs, which must be the \p ndims pairs along the axes; 0 of both: none.
 *  \p flip told codelets of 1.x which neighbour comes first and is not looked at; it may be NULL.
 *  Errors: ADCL_UNDEFINED (more pairs: use ADCL_Topology_create_extended or a graph communicator), ... */
ADCL_API int ADCL_v1_Topology_create_generic(int ndims, int nneigh, const int *lneighbors, const int *flip,
                                             const int *rneighbors, const int *coords, int direction, MPI_Comm comm,
                                             ADCL_Topology *topo);
/** Corners in three dimensions, which 1.x left out, are neighbours too. */
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

/** Collective over the topology's communicator, as the two below. Of the vectors, one that does not take part on this
 *  rank may be ADCL_VECTOR_NULL. A broadcast is of \p svec, which all ranks pass. */
ADCL_API int ADCL_v1_Request_create(ADCL_Vector vec, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req);
ADCL_API int ADCL_v1_Request_create_generic(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset set,
                                            ADCL_Request *req);
ADCL_API int ADCL_v1_Request_create_generic_rooted(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo,
                                                   ADCL_Fnctset set, int root, ADCL_Request *req);
ADCL_API int ADCL_v1_Request_free(ADCL_Request *req);
ADCL_API int ADCL_v1_Request_start(ADCL_Request req);
ADCL_API int ADCL_v1_Request_init(ADCL_Request req);
/** Also right after ADCL_Request_progress has completed the operation. */
ADCL_API int ADCL_v1_Request_wait(ADCL_Request req);
/** ADCL_CONTINUE while the operation is not complete, ADCL_SUCCESS from then on. */
ADCL_API int ADCL_v1_Request_progress(ADCL_Request req);
/** A null function does nothing. */
ADCL_API int ADCL_v1_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr *mid, ADCL_work_fnct_ptr *end,
                                           ADCL_work_fnct_ptr *total);
ADCL_API int ADCL_v1_Request_update(ADCL_Request req, double seconds);

/* What a request tells. Texts and arrays are made with malloc() and the caller's to free, as are their entries;
 * pointers may be null for what is not wanted. */
ADCL_API int ADCL_v1_Request_get_comm(ADCL_Request req, MPI_Comm *comm, int *rank, int *size);
ADCL_API int ADCL_v1_Request_get_fsname(ADCL_Request req, char **name);
ADCL_API int ADCL_v1_Request_get_state(ADCL_Request req, int *state);
ADCL_API int ADCL_v1_Request_get_tndims(ADCL_Request req, int *tndims);
/** The codelet that runs or ran last, with its attributes. ADCL_USER_ERROR before the first start. */
ADCL_API int ADCL_v1_Request_get_curr_function(ADCL_Request req, char **name, char ***attr_names, int *nattrs,
                                               char ***value_names, int **values);
/** Seconds of the winner, and its outliers. ADCL_USER_ERROR while there is none. */
ADCL_API int ADCL_v1_Request_get_winner_stat(ADCL_Request req, double *filtered_avg, double *unfiltered_avg,
                                             double *outliers);
/** Arrays of \p n entries, one for each codelet; those that were not measured have 0. \p winner: the number of the
 *  fastest so far, -1 where nothing was measured. */
ADCL_API int ADCL_v1_Request_save_status(ADCL_Request req, int *n, double **unfiltered_avg, double **filtered_avg,
                                         double **outliers, int *winner);
/** Collective. \p n as ADCL_Request_save_status has said. */
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

/* These have had several forms, which are told by the number of arguments:
 * ADCL_Vector_allocate(ndims, dims, nc, vectype, hwidth, type, data, &vec), without vectype, and without nc;
 * ADCL_Topology_create_generic(ndims, nneigh, lneighbors, flip, rneighbors, coords, direction, comm, &topo), and
 * without nneigh and flip. */
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
