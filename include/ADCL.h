/** \file ADCL.h
 *  The C interface of ADCL, the Abstract Data and Communication Library.
 *
 *  An application describes its data (vector), the elements to communicate (vmap) and its neighbors (topology). A
 *  request joins the three with a function set: codelets that implement the same communication in different ways. The
 *  first starts of a request measure codelets. All ranks agree on the fastest, and later starts run this winner.
 *
 *  Conventions of every function
 *  - The result is ADCL_SUCCESS or one of the codes below. ADCL_Last_error() returns the last failure of the calling
 *    thread: the call, the argument, its value and the remedy. The option ADCL_ERRORS selects further actions: `return`
 *    (default): none; `report`: write each message once per process, at most twenty, to the file of ADCL_REPORT,
 *    otherwise to stderr; `abort`: write the message and call MPI_Abort. The rank that caused an error reports it.
 *  - A codelet that exceeds a limit of the MPI library (a missing call, too many windows, a bundle of messages of more
 *    than INT_MAX bytes) is not a candidate. If no candidate is left, the error is ADCL_ERR_NO_CODELET.
 *  - Handles are an index and a generation. A freed handle, an uninitialized handle or a handle of another kind causes
 *    ADCL_ERR_HANDLE. A `_free` function sets the handle to its `_NULL` value. Objects may be freed in any order: an
 *    object lives on while others use it.
 *  - All ranks of the communicator call "collective" functions in the same order. Functions that create, rebind or
 *    restore first agree on errors: an error on one rank returns the same code on every rank, and nothing is created.
 *    Some errors are local: the function returns on one rank, and the other ranks wait for that rank. Local errors
 *    occur if the communicator is unknown, or at the entry of a call: MPI_COMM_NULL as communicator; in
 *    ADCL_Request_create, a handle that was never a topology; in ADCL_Vector_rebind, an invalid vector; in
 *    ADCL_Request_restore_status and _verify, an invalid request; in ADCL_Request_start, _init, _wait, _start_overlap
 *    and _free, an invalid handle or the wrong state; any call outside ADCL_Init ... ADCL_Finalize.
 *  - After MPI_Finalize, calls return ADCL_ERR_STATE, or ADCL_ERR_NOT_INITIALIZED after ADCL_Finalize, except those
 *    that "may be called at any time".
 *  - Input arrays are `const` and copied; the caller may reuse them when a function returns. Vector data is not copied.
 *  - The library duplicates each communicator once and stores the duplicate as an attribute. It does not change the
 *    caller's error handlers or attributes, and does not receive the caller's messages.
 *
 *  "Thesis" is K. Benkert, Adaptive Parallel Communications for Large-Scale CFD, Universitaet Stuttgart, 2011. */
#ifndef ADCL_H
#define ADCL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && defined(ADCL_BUILD)
#define ADCL_API __attribute__((visibility("default")))
#else
#define ADCL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ADCL_VERSION_MAJOR 2
#define ADCL_VERSION_MINOR 0
#define ADCL_VERSION_PATCH 0

/* ---- Results ----------------------------------------------------------------------------------------------------- */

#define ADCL_SUCCESS 0
#define ADCL_ERR_ARGUMENT 1         /**< a value that the call cannot accept */
#define ADCL_ERR_HANDLE 2           /**< a handle that is null, freed, uninitialized or of another type */
#define ADCL_ERR_TYPE 3             /**< an MPI datatype that is null or not committed */
#define ADCL_ERR_STATE 4            /**< a call at the wrong time, such as a wait without an init */
#define ADCL_ERR_MISMATCH 5         /**< the ranks of the communicator, or two neighbors, contradict each other */
#define ADCL_ERR_OPTION 6           /**< an unknown option, or a value out of range */
#define ADCL_ERR_MEMORY 7           /**< out of memory */
#define ADCL_ERR_MPI 8              /**< a call of the MPI library failed; the message includes MPI's error string */
#define ADCL_ERR_UNSUPPORTED 9      /**< an unsupported MPI library, or a limit of ADCL or of the MPI library */
#define ADCL_ERR_NOT_INITIALIZED 10 /**< ADCL_Init was not called, or ADCL_Finalize was */
#define ADCL_ERR_FILE 11            /**< a file or folder named by an option cannot be used */
#define ADCL_ERR_NO_CODELET 12      /**< no codelet is left for this problem; the message has a reason for each */
#define ADCL_ERR_INTERNAL 13        /**< a defect of ADCL itself; please report it with the message */
#define ADCL_ERR_CALLBACK 14        /**< a function of the application, such as a codelet, threw an exception */

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

typedef struct ADCL_Vmap_s *ADCL_Vmap;
typedef struct ADCL_Vector_s *ADCL_Vector;
typedef struct ADCL_Topology_s *ADCL_Topology;
typedef struct ADCL_Attribute_s *ADCL_Attribute;
typedef struct ADCL_Attrset_s *ADCL_Attrset;
typedef struct ADCL_Function_s *ADCL_Function;
typedef struct ADCL_Fnctset_s *ADCL_Fnctset;
typedef struct ADCL_Request_s *ADCL_Request;
typedef struct ADCL_Timer_s *ADCL_Timer;
/** A handle's value fits a default Fortran INTEGER: kind << 27 | generation << 16 | index. */
#define ADCL_VMAP_NULL ((ADCL_Vmap)(intptr_t)0x08000000)
#define ADCL_VECTOR_NULL ((ADCL_Vector)(intptr_t)0x10000000)
#define ADCL_TOPOLOGY_NULL ((ADCL_Topology)(intptr_t)0x18000000)
#define ADCL_ATTRIBUTE_NULL ((ADCL_Attribute)(intptr_t)0x20000000)
#define ADCL_ATTRSET_NULL ((ADCL_Attrset)(intptr_t)0x28000000)
#define ADCL_FUNCTION_NULL ((ADCL_Function)(intptr_t)0x30000000)
#define ADCL_FNCTSET_NULL ((ADCL_Fnctset)(intptr_t)0x38000000)
#define ADCL_REQUEST_NULL ((ADCL_Request)(intptr_t)0x40000000)
#define ADCL_TIMER_NULL ((ADCL_Timer)(intptr_t)0x48000000)

/* The predefined function sets: ADCL_FNCTSET_NEIGHBORHOOD and others. */
#if defined(__has_include)
#if !__has_include("ADCL_sets.h")
#error "ADCL.h needs ADCL_sets.h, which the build generates: add BUILD/include to the include path, or install ADCL"
#endif
#endif
#include "ADCL_sets.h"

/** Directions of a generic topology: in every dimension, each rank sends to both neighbors, only to the right neighbor
 *  (and receives from the left), or only to the left neighbor (and receives from the right). */
#define ADCL_DIRECTION_BOTH 0
#define ADCL_DIRECTION_LEFT_TO_RIGHT 1
#define ADCL_DIRECTION_RIGHT_TO_LEFT 2

/** Storage order of a vector: last dimension contiguous (C) or first dimension contiguous (Fortran). */
#define ADCL_ORDER_C 0
#define ADCL_ORDER_FORTRAN 1

/** State of a request: it measures codelets, or it runs the winner. */
#define ADCL_STATE_SEARCH 0
#define ADCL_STATE_PRODUCTION 1

/** Buffer size in bytes, including the terminating null, that suffices for every name that this library returns. */
#define ADCL_MAX_NAME 256

/** A codelet of the application, or a work function of ADCL_Request_start_overlap. While it runs, its request is in
 *  flight: calls that start, free, update or rebind it, and ADCL_Finalize, return ADCL_ERR_STATE.
 *
 *  A codelet fails on a rank if it calls ADCL_Error_set on its thread, or throws an exception:
 *  - On this rank, the call that ran it (ADCL_Request_start, _init, _wait, _test or _start_overlap) returns the code of
 *    ADCL_Error_set, or ADCL_ERR_CALLBACK; the message names the codelet. The operation is over: after a failed
 *    ADCL_Request_init the request is not in flight, and \p wait_fn is not called.
 *  - Other ranks return their own results of this start. The codelet must still send the messages that they wait for.
 *  - At the next agreement, all ranks drop the codelet in the same start: in a search after the batch of measurements,
 *    in production after the next check of ADCL_MONITOR, and with ADCL_MONITOR=0 never. A single codelet is checked
 *    often at first. After the last codelet, each start returns ADCL_ERR_NO_CODELET on all ranks, with all failures.
 *  An exception in a work function returns ADCL_ERR_CALLBACK on its rank and has no other effect. */
typedef void ADCL_work_fnct_ptr(ADCL_Request request);

/* ---- Environment ------------------------------------------------------------------------------------------------- */

/** Initializes the library. Local; MPI must be initialized. May be called several times; each call needs a matching
 *  ADCL_Finalize. Reads the file named by ADCL_CONFIG and the ADCL_* environment variables.
 *  Errors: ADCL_ERR_STATE (MPI is not initialized or already finalized), ADCL_ERR_OPTION, ADCL_ERR_FILE,
 *  ADCL_ERR_UNSUPPORTED (the MPI library or its major version differs from the one that ADCL was built with; an ADCL
 *  built for the standard ABI of MPI 5.0 runs with each library that supports it). */
ADCL_API int ADCL_Init(void);
/** Frees all objects and writes the files of ADCL_REPORT and ADCL_TRACE. All ranks call it before MPI_Finalize, with no
 *  operation in flight. If a program does not call it, MPI_Finalize writes the files but frees nothing.
 *  Errors: ADCL_ERR_NOT_INITIALIZED, ADCL_ERR_STATE (an operation is in flight, or MPI is already finalized),
 *  ADCL_ERR_FILE (a file could not be written; all objects were freed). */
ADCL_API int ADCL_Finalize(void);
/** Sets \p flag to 1 between ADCL_Init and the matching ADCL_Finalize, else to 0. May be called at any time. */
ADCL_API int ADCL_Initialized(int *flag);
/** The version of the running library; the macros are the version of this header. May be called at any time. */
ADCL_API int ADCL_Get_version(int *major, int *minor, int *patch);
/** A short English text for a result code; never NULL. May be called at any time. */
ADCL_API const char *ADCL_Error_string(int code);
/** Message of the last failed call of this thread; "" if none failed. Valid until the thread's next failure. */
ADCL_API const char *ADCL_Last_error(void);
/** 1 while the calling thread is inside a call of this library; 0 otherwise, and in the application's functions that
 *  the library calls (ADCL_work_fnct_ptr). For tools that intercept MPI and must ignore the library's own MPI calls;
 *  they find the function with dlsym. May be called at any time. */
ADCL_API int ADCL_Inside(void);
/** Stores \p message as the last error of the calling thread and applies ADCL_ERRORS, like a failed call. For
 *  interfaces to other languages. May be called at any time. Returns \p code, one of ADCL_ERR_ARGUMENT to
 *  ADCL_ERR_CALLBACK; ADCL_ERR_ARGUMENT for any other code and for a null message. */
ADCL_API int ADCL_Error_record(int code, const char *message);
/** Like ADCL_Error_record; also marks the codelet that runs on this thread as failed (see ADCL_work_fnct_ptr). */
ADCL_API int ADCL_Error_set(int code, const char *message);
/** Sets an option for requests created from now on. An environment variable of that name, and a line in the file named
 *  by ADCL_CONFIG, take precedence. If ranks set different values, rank 0 of a request's communicator decides. Strips
 *  blanks around \p value. A relative file or folder (ADCL_REPORT, ADCL_TRACE, ADCL_HISTORY) is relative to the working
 *  directory of this call, or of ADCL_Init for environment variables and the file.
 *  Errors: ADCL_ERR_OPTION (unknown name, with the most similar one; value out of range), ADCL_ERR_ARGUMENT. */
ADCL_API int ADCL_Option_set(const char *name, const char *value);
/** Copies the current value, as text, to the buffer \p value of \p size bytes; a file or folder is an absolute path.
 *  Errors: ADCL_ERR_OPTION, ADCL_ERR_ARGUMENT (buffer too small; ADCL_MAX_NAME is enough except for paths). */
ADCL_API int ADCL_Option_get(const char *name, char *value, int size);

/* ---- Vmap: elements to send and receive (thesis 4.1.1) ----------------------------------------------------------- */

/** A halo of \p hwidth >= 0 layers on both sides of every dimension. Local. */
ADCL_API int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap);
/** A halo with a separate width on each side of each dimension: lwidths[d] layers at low indices, rwidths[d] at high
 *  indices. Widths refer to the receiver: lwidths[d] layers come from the left neighbor's last interior layers.
 *  Local; \p ndims >= 1, all widths >= 0. */
ADCL_API int ADCL_Vmap_halo_allocate_generic(int ndims, const int *lwidths, const int *rwidths, ADCL_Vmap *vmap);
/** Grid points exchanged with the neighbors of a graph topology, in the order of MPI_Dist_graph_neighbors: scounts[i]
 *  points for destination i; \p sindices has their linear indices (storage order of the vector, from 0), one neighbor
 *  after the other. The same applies to points received from source i. A point may be sent to several neighbors. If a
 *  point is received twice, or received and sent through the same vector, creating the request returns
 *  ADCL_ERR_ARGUMENT. Local; counts >= 0; arrays of length 0 may be NULL. */
ADCL_API int ADCL_Vmap_graph_allocate(int nsend, const int *scounts, const int *sindices, int nrecv, const int *rcounts,
                                      const int *rindices, ADCL_Vmap *vmap);

/* The vmaps of collectives (thesis Tables 4.2 and 4.3). An entry has the vector's datatype: a vector with nc entries
 * per grid point has nc entries for each point. All functions are local. */
/** \p count >= 0 entries: of a broadcast; of each rank's contribution to a gather or result of a scatter; of each
 *  rank's block in the array that is gathered or scattered. */
ADCL_API int ADCL_Vmap_all_allocate(int count, ADCL_Vmap *vmap);
/** \p count >= 0 entries, combined by \p op, which must exist as long as requests created with the vmap. For
 *  ADCL_FNCTSET_REDUCE_SCATTER_BLOCK: the entries that each rank receives. */
ADCL_API int ADCL_Vmap_reduce_allocate(int count, MPI_Op op, ADCL_Vmap *vmap);
/** The blocks of \p size ranks, the size of the communicator: counts[i] >= 0 entries from entry displs[i] on. */
ADCL_API int ADCL_Vmap_list_allocate(int size, const int *counts, const int *displs, ADCL_Vmap *vmap);
/** Like ADCL_Vmap_list_allocate, for ADCL_FNCTSET_ALLTOALLW: displs[i] is in bytes from the beginning of the vector;
 *  types[i] is the datatype of the block, and must exist until the request is created. The vector's type is ignored. */
ADCL_API int ADCL_Vmap_listw_allocate(int size, const int *counts, const int *displs, const MPI_Datatype *types,
                                      ADCL_Vmap *vmap);
/** MPI_IN_PLACE. Use it as the send vmap of a gather or a reduction at the root, and of an operation without a root on
 *  all ranks; as the receive vmap of a scatter at the root. The vector on that side may be ADCL_VECTOR_NULL. */
ADCL_API int ADCL_Vmap_inplace_allocate(ADCL_Vmap *vmap);
/** \p scount entries to each rank from the send vector, \p rcount from each rank into the receive vector. */
ADCL_API int ADCL_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap *vmap);
/** Entries combined by \p op; rank i receives counts[i] consecutive entries. */
ADCL_API int ADCL_Vmap_redscatter_allocate(int size, const int *counts, MPI_Op op, ADCL_Vmap *vmap);
ADCL_API int ADCL_Vmap_free(ADCL_Vmap *vmap);

/* ---- Vector: the data (thesis 4.1.2) ----------------------------------------------------------------------------- */

/** Describes an array of the application. Local.
 *  \param ndims  number of dimensions, >= 1; dimension d of a Cartesian topology divides dimension d of the array
 *  \param dims   extents, including halo layers, >= 1 each
 *  \param nc     entries per grid point, the contiguous dimension; 0: a scalar without an extra dimension
 *  \param type   any committed datatype; the library keeps a duplicate. Its extent, which may be negative, is the
 *                distance of entries and of points
 *  \param data   first element; C order (last dimension contiguous)
 *  Errors: ADCL_ERR_ARGUMENT, ADCL_ERR_TYPE, ADCL_ERR_UNSUPPORTED (a datatype with holes in SMPI). */
ADCL_API int ADCL_Vector_register(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec);
/** Same as ADCL_Vector_register, under the name that the thesis uses (Fig. 5.2). */
ADCL_API int ADCL_Vector_register_generic(int ndims, const int *dims, int nc, MPI_Datatype type, void *data,
                                          ADCL_Vector *vec);
/** Sets the storage order, ADCL_ORDER_C (default) or ADCL_ORDER_FORTRAN, of a vector that no request uses yet.
 *  Local. Errors: ADCL_ERR_HANDLE, ADCL_ERR_ARGUMENT (another order), ADCL_ERR_STATE (a request uses the vector). */
ADCL_API int ADCL_Vector_set_order(ADCL_Vector vec, int order);
/** Frees the vector but not the array. Local. Errors: ADCL_ERR_STATE (ADCL_Vector_allocate created the vector). */
ADCL_API int ADCL_Vector_deregister(ADCL_Vector *vec);
/** Like ADCL_Vector_register, with new, zeroed, 64-byte aligned memory; stores its address in *(void **)data. If the
 *  system supports it, processes of the same node can read the memory, so exchanges between them are faster. Forked
 *  children share it. ADCL_VECTOR_MEMORY=private prevents both. Further errors: ADCL_ERR_MEMORY. */
ADCL_API int ADCL_Vector_allocate(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec);
/** Same as ADCL_Vector_allocate, under the name that the thesis uses (Fig. 5.2). */
ADCL_API int ADCL_Vector_allocate_generic(int ndims, const int *dims, int nc, MPI_Datatype type, void *data,
                                          ADCL_Vector *vec);
/** Frees the vector, and its memory when no request of this process or a neighbor uses it. Local. Errors:
 *  ADCL_ERR_STATE (the vector was registered). */
ADCL_API int ADCL_Vector_free(ADCL_Vector *vec);
/** Replaces the array: requests of \p vec use \p data from their next start on. Collective over the communicator of
 *  these requests, none of which may be in flight. Errors: ADCL_ERR_STATE (ADCL_Vector_allocate created the vector, or
 *  its requests are on several communicators; register the array once per communicator). */
ADCL_API int ADCL_Vector_rebind(ADCL_Vector vec, void *data);

/* ---- Topology: processes and neighbors --------------------------------------------------------------------------- */

/** The processes of \p comm, with the neighbors of a Cartesian or distributed graph communicator, otherwise without
 *  neighbors. Collective over \p comm. \p root is the root of rooted collectives; other function sets ignore it. */
ADCL_API int ADCL_Topology_create(MPI_Comm comm, int root, ADCL_Topology *topo);
/** A topology from explicit neighbors. Collective over \p comm.
 *  \param lneighbors  \p ndims ranks, MPI_PROC_NULL for none
 *  \param rneighbors  likewise, in the other direction
 *  \param coords     \p ndims coordinates of this process, for reports; NULL: not known
 *  \param direction  ADCL_DIRECTION_BOTH, ADCL_DIRECTION_LEFT_TO_RIGHT or ADCL_DIRECTION_RIGHT_TO_LEFT
 *  Errors: ADCL_ERR_MISMATCH if a rank is not the left neighbor of its right neighbor, or vice versa. */
ADCL_API int ADCL_Topology_create_generic(int ndims, const int *lneighbors, const int *rneighbors, const int *coords,
                                          int direction, MPI_Comm comm, ADCL_Topology *topo);
/** A Cartesian communicator with diagonal neighbors: 3^n - 1 inside the grid (Lattice-Boltzmann: D2Q9, D3Q27). Includes
 *  edges and corners of the halo. Collective over \p cart_comm. */
ADCL_API int ADCL_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology *topo);
/** Frees the topology. Collective over its communicator. */
ADCL_API int ADCL_Topology_free(ADCL_Topology *topo);

/* ---- Attributes, functions, function sets ------------------------------------------------------------------------ */

/** Creates an attribute of codelets, with \p nvalues >= 1 distinct values >= 0 and their names. Local. */
ADCL_API int ADCL_Attribute_create(int nvalues, const int *values, const char *const *value_names, const char *name,
                                   ADCL_Attribute *attr);
ADCL_API int ADCL_Attribute_free(ADCL_Attribute *attr);
/** \p n >= 1 attributes. Local. */
ADCL_API int ADCL_Attrset_create(int n, const ADCL_Attribute *attrs, ADCL_Attrset *attrset);
ADCL_API int ADCL_Attrset_free(ADCL_Attrset *attrset);
/** A codelet: \p fn performs the whole communication of its request. \p values has one value per attribute of
 *  \p attrset; both may be null (ADCL_ATTRSET_NULL, NULL). Local. */
ADCL_API int ADCL_Function_create(ADCL_work_fnct_ptr *fn, ADCL_Attrset attrset, const int *values, const char *name,
                                  ADCL_Function *func);
/** A codelet in two parts: \p init_fn starts the communication without waiting for other ranks, \p wait_fn completes
 *  it. Only codelets in two parts are candidates of ADCL_Request_init. Local. */
ADCL_API int ADCL_Function_create_async(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                                        const int *values, const char *name, ADCL_Function *func);
ADCL_API int ADCL_Function_free(ADCL_Function *func);
/** \p n >= 1 codelets of the same functionality, with the same attribute set and different names. Local. */
ADCL_API int ADCL_Fnctset_create(int n, const ADCL_Function *funcs, const char *name, ADCL_Fnctset *set);
/** Creates a set from one function that reads its attribute values: it has a codelet for every combination of values,
 *  except the \p nexcluded combinations in \p excluded (one value per attribute, combination after combination). The
 *  name of a codelet is the set's name and the value names, joined by '_'. \p wait_fn may be NULL. Local. */
ADCL_API int ADCL_Fnctset_create_single(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                                        const char *name, const int *excluded, int nexcluded, ADCL_Fnctset *set);
/** Whether requests of a user-defined set share one search and its winner: 1, or 0 (default). Requests share a search
 *  if they were created after this call, with this set, the same topology, and vectors of the same shape, or none.
 *  Other differences, such as contexts or the values in the vectors, must not change which codelet is fastest.
 *  Requests of ADCL_FNCTSET_NEIGHBORHOOD with equal problems share a search; ADCL_MERGE_REQUESTS=0 disables both.
 *  Local; pass the same value on all ranks. Errors: ADCL_ERR_HANDLE, ADCL_ERR_ARGUMENT. */
ADCL_API int ADCL_Fnctset_set_sharing(ADCL_Fnctset set, int sharing);
/** The distance of two problems: 0 if the same codelet is fastest for both, up to 1 if they are similar. Above 1,
 *  negative or not a number: ADCL does not use results of one problem for the other.
 *  \param n           number of properties
 *  \param names       names of the properties, such as "bytes_out" or "ranks"; `adcl history show` lists them
 *  \param here,there  values of the new problem, and of a stored problem */
typedef double ADCL_similarity_fnct_ptr(int n, const char *const *names, const double *here, const double *there);

/** Sets the distance with which requests of a set, predefined or user-defined, find similar problems in the folder of
 *  ADCL_HISTORY (thesis section 3.3.3), for requests created from now on; NULL (default): the library's distance. With
 *  ADCL_HISTORY=memory, a distance disables the search for similar problems. The properties are all numbers that
 *  describe a problem on rank 0; problems with different texts (datatype, topology, MPI library, processor) are never
 *  similar. Starts call \p fn on rank 0 only; it must neither communicate nor call ADCL. If it throws an exception,
 *  similar problems are not used, and the report states the reason. Local. Errors: ADCL_ERR_HANDLE. */
ADCL_API int ADCL_Fnctset_set_similarity(ADCL_Fnctset set, ADCL_similarity_fnct_ptr *fn);
/** Local. ADCL_FNCTSET_NEIGHBORHOOD cannot be freed (ADCL_ERR_HANDLE). */
ADCL_API int ADCL_Fnctset_free(ADCL_Fnctset *set);

/* ---- Request: an operation that tunes itself --------------------------------------------------------------------- */

/** Creates a request from a vector, a vmap, a topology and a function set. Collective over the topology's communicator.
 *  ADCL_FNCTSET_NEIGHBORHOOD requires all handles; the vector is both sent from and received into. With a user-defined
 *  set, \p vec, \p vmap and \p topo may be null; without a topology the communicator is MPI_COMM_WORLD.
 *
 *  The topology alone defines the participating ranks. So a handle that was never a topology returns ADCL_ERR_HANDLE on
 *  this rank only, and ranks with a valid topology wait. All ranks wait if only some pass ADCL_TOPOLOGY_NULL for a
 *  user-defined set. A freed topology returns ADCL_ERR_HANDLE on all ranks, if it is one of the last 64 that this rank
 *  freed and its communicator still exists.
 *
 *  A request has five modes of use: ADCL_Request_start, ADCL_Request_init and ADCL_Request_wait,
 *  ADCL_Request_start_overlap, and the first two with other arrays (ADCL_Request_start_with, _init_with). Each mode has
 *  its own search, candidates and winner. Queries refer to the mode used last, at first to ADCL_Request_start.
 *  Errors: ADCL_ERR_HANDLE, ADCL_ERR_MISMATCH (neighbors disagree on halo widths, block sizes, storage orders or basic
 *  types, or on being neighbors; the codelets of the ranks' sets differ), ADCL_ERR_ARGUMENT (a halo wider than the
 *  block, dimensions that do not fit), ADCL_ERR_NO_CODELET, ADCL_ERR_OPTION (ADCL_CODELETS names an unknown codelet),
 *  ADCL_ERR_UNSUPPORTED (no message tags are left). */
ADCL_API int ADCL_Request_create(ADCL_Vector vec, ADCL_Vmap vmap, ADCL_Topology topo, ADCL_Fnctset set,
                                 ADCL_Request *req);
/** Like ADCL_Request_create, with a send and a receive vector, which are the same vector or do not overlap. */
ADCL_API int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap,
                                         ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req);

/** Like ADCL_Request_create_generic, with \p n >= 1 fields in one operation: field i is sent from svecs[i] with
 *  svmaps[i], and received into rvecs[i] with rvmaps[i]. Fields have the same neighbors; they may differ in extents,
 *  halo widths, entries, datatype and storage order. Some codelets join all fields for one neighbor in one message
 *  (attribute `partners`: joined), others send a message per field; one-sided codelets are not applicable to several
 *  fields. Further errors: ADCL_ERR_ARGUMENT (n < 1, a null array, two fields are received into the same vector, or one
 *  field sends from the vector that another receives into), ADCL_ERR_MISMATCH (\p n differs between ranks). */
ADCL_API int ADCL_Request_create_several(int n, const ADCL_Vector *svecs, const ADCL_Vmap *svmaps,
                                         const ADCL_Vector *rvecs, const ADCL_Vmap *rvmaps, ADCL_Topology topo,
                                         ADCL_Fnctset set, ADCL_Request *req);
/** Describes an array whose halo ADCL_Halo_init exchanges. Start from ADCL_HALO, which sets `size`, and members without
 *  an argument to their defaults; then assign members. Later versions append members with the default 0, so existing
 *  sources and binaries remain valid. */
typedef struct ADCL_Halo {
  size_t size;                  /**< sizeof(ADCL_Halo) of the header that the program was compiled with */
  void *buf;                    /**< first element of the array, including the halo */
  int ndims;                    /**< number of dimensions, as in ADCL_Vector_register */
  const int *dims;              /**< extents, including halo layers */
  int nc;                       /**< entries per grid point; 0: a scalar */
  int hwidth;                   /**< layers on both sides of every dimension */
  MPI_Datatype type;            /**< datatype of an entry */
  int order;                    /**< ADCL_ORDER_C (default) or ADCL_ORDER_FORTRAN */
  const struct ADCL_Halo *next; /**< another array that the same operation exchanges; NULL (default): none */
} ADCL_Halo;
/** The address of an ADCL_Halo in C order, for ADCL_Halo_init or for a copy: `ADCL_Halo halo = *ADCL_HALO(...)`. Valid
 *  until the end of the enclosing block in C, and of the full expression in C++. */
#ifdef __cplusplus
#define ADCL_HALO(buf, ndims, dims, nc, hwidth, type) \
  (&static_cast<const ADCL_Halo &>(                   \
      ADCL_Halo{sizeof(ADCL_Halo), buf, ndims, dims, nc, hwidth, type, ADCL_ORDER_C, nullptr}))
#else
#define ADCL_HALO(buf, ndims, dims, nc, hwidth, type) \
  (&(ADCL_Halo){sizeof(ADCL_Halo), buf, ndims, dims, nc, hwidth, type, ADCL_ORDER_C, NULL})
#endif

/** A halo exchange in one call: vectors, vmaps, topology and request. Linked descriptors are the fields of one request,
 *  as in ADCL_Request_create_several; they may differ in every member. Collective over \p cart_comm. Copies the
 *  descriptors. Errors: those of ADCL_Vector_register and ADCL_Request_create, ADCL_ERR_ARGUMENT (an impossible `size`,
 *  an array twice, an intercommunicator), ADCL_ERR_UNSUPPORTED (the program sets a member of a later version). */
ADCL_API int ADCL_Halo_init(const ADCL_Halo *halo, MPI_Comm cart_comm, ADCL_Request *req);

/* ---- Collectives in one call ------------------------------------------------------------------------------------- */

/* Each function creates a request for the MPI function of its name, like the persistent collectives of MPI-4. It has
 * that function's arguments in the same order, accepts MPI_IN_PLACE, and ignores arguments that MPI ignores on a rank.
 * Run the request with ADCL_Request_start, or ADCL_Request_init and _wait. MPI's own calls are also candidates.
 *
 * The application may free its datatypes after the call. A user-defined operation must exist until the request is
 * freed; its function receives the datatype handle that the application passed. While a request searches, reductions of
 * floating-point numbers may round differently from start to start. ADCL_Request_start_with ignores an array that the
 * call does not use, such as the send array of an operation in place.
 *
 * An array may be null if it has no data, if the displacements of the datatype are addresses (MPI_BOTTOM), and as the
 * receive array of ADCL_Exscan_init on rank 0. An array of displacements may be null if all counts are 0. Blocks with
 * the count 0 may have any displacement. MPI_PACKED matches every datatype: the number of bytes must be equal.
 *
 * Collective over \p comm. Errors: ADCL_ERR_ARGUMENT (a negative count, a root that is not a rank, an
 * intercommunicator, MPI_OP_NULL, a null pointer to data, one array as both arrays of a reduction), ADCL_ERR_TYPE,
 * ADCL_ERR_MISMATCH (the ranks call different functions, or pass different roots, or counts or basic datatypes that do
 * not match), ADCL_ERR_NO_CODELET. */

ADCL_API int ADCL_Barrier_init(MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Bcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Gather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                              MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Gatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                               const int *displs, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Scatter_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                               MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Scatterv_init(const void *sbuf, const int *scounts, const int *displs, MPI_Datatype stype, void *rbuf,
                                int rcount, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Allgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                                 MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Allgatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                                  const int *displs, MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Alltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                                MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Alltoallv_init(const void *sbuf, const int *scounts, const int *sdispls, MPI_Datatype stype,
                                 void *rbuf, const int *rcounts, const int *rdispls, MPI_Datatype rtype, MPI_Comm comm,
                                 ADCL_Request *req);
ADCL_API int ADCL_Alltoallw_init(const void *sbuf, const int *scounts, const int *sdispls, const MPI_Datatype *stypes,
                                 void *rbuf, const int *rcounts, const int *rdispls, const MPI_Datatype *rtypes,
                                 MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Reduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                              MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Allreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                 ADCL_Request *req);
ADCL_API int ADCL_Reduce_scatter_block_init(const void *sbuf, void *rbuf, int rcount, MPI_Datatype type, MPI_Op op,
                                            MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Reduce_scatter_init(const void *sbuf, void *rbuf, const int *rcounts, MPI_Datatype type, MPI_Op op,
                                      MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Scan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            ADCL_Request *req);
ADCL_API int ADCL_Exscan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              ADCL_Request *req);

/* The same for MPI's nonblocking calls: requests for ADCL_Request_init, computation with ADCL_Request_progress, and
 * ADCL_Request_wait. Candidates are MPI's nonblocking call, the algorithms, and the blocking codelets, which run
 * completely in the wait. The attribute "progress" of an algorithm states which calls of ADCL_Request_progress it uses:
 * every call, those in inner loops, or none. ADCL_Request_wait is a collective call. */

ADCL_API int ADCL_Ibcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Iallgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                                  MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Ialltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                                 MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Ireduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                               MPI_Comm comm, ADCL_Request *req);
ADCL_API int ADCL_Iallreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                  ADCL_Request *req);

/* ---- Running a request ------------------------------------------------------------------------------------------- */

/** Frees the request. Collective over its communicator. Errors: ADCL_ERR_STATE (it is in flight, also within the
 *  application's functions that it runs). */
ADCL_API int ADCL_Request_free(ADCL_Request *req);
/** Runs the operation once, from beginning to end. Collective: all ranks start the requests of one communicator in the
 *  same order. Errors: ADCL_ERR_STATE (it is in flight), ADCL_ERR_NO_CODELET (no plan can be created, or all
 *  of the application's codelets have failed; the message lists the reasons), errors of the application's codelet. */
ADCL_API int ADCL_Request_start(ADCL_Request req);

/** Starts the operation; ADCL_Request_wait completes it. In between, do not change the data to send, and do not access
 *  the halo. Candidates are nonblocking codelets, and blocking codelets with ADCL_OVERLAP_BLOCKING=1 or with a function
 *  set for overlap (such as ADCL_FNCTSET_IBCAST). Collective in the same order on all ranks; may synchronize while the
 *  request searches. Start requests of several communicators (with ADCL_Request_start, _init or _start_overlap) in an
 *  order in which MPI's blocking collectives would not deadlock, such as the order in which the communicators were
 *  created; complete them in any order. With ADCL_SEARCH=brute_force and ADCL_MONITOR=0, decisions are final:
 *  ADCL_Request_init waits for no other rank once the request is in ADCL_STATE_PRODUCTION and was started once more,
 *  until one of its vectors is rebound. Errors: ADCL_ERR_STATE (in flight), ADCL_ERR_NO_CODELET (no candidate is
 *  nonblocking, or has a plan). */
ADCL_API int ADCL_Request_init(ADCL_Request req);

/** Like ADCL_Request_start and ADCL_Request_init, but send from \p sbuf and receive into \p rbuf instead of the arrays
 *  of the request's vectors, with the vectors' extents and type. Pass one array twice if the request has one vector for
 *  both sides. Successive calls may pass different arrays without synchronization, so a solver that exchanges many
 *  arrays of one shape needs one request. Codelets whose plan is bound to addresses are not applicable; each of the two
 *  calls is a mode with its own winner. Collective, ordered like ADCL_Request_start, with its errors. Further errors:
 *  ADCL_ERR_ARGUMENT (a null pointer if the request was created with an array, one array instead of two or the
 *  reverse), ADCL_ERR_UNSUPPORTED (a request with several fields or a user-defined set), ADCL_ERR_NO_CODELET. */
ADCL_API int ADCL_Request_start_with(ADCL_Request req, const void *sbuf, void *rbuf);
ADCL_API int ADCL_Request_init_with(ADCL_Request req, const void *sbuf, void *rbuf);
/** Completes the operation that ADCL_Request_init started; ADCL_ERR_STATE without an init. Complete halo exchanges in
 *  any order, at any time. For a collective, and with ADCL_OVERLAP_BLOCKING=1, the wait is also a collective call: all
 *  ranks call the starts and waits of a communicator in one order, and between an init and its wait a rank may not
 *  wait, in MPI or otherwise, for an action of another rank after its wait. Algorithms with several steps progress only
 *  within the library's calls, and blocking codelets run completely in the wait. */
ADCL_API int ADCL_Request_wait(ADCL_Request req);
/** Advances the operation. Sets \p flag to 1 and completes the operation if it is done; otherwise sets it to 0. Local.
 *  A user-defined codelet in two parts and a blocking codelet (with ADCL_OVERLAP_BLOCKING=1, and in sets for overlap)
 *  cannot be tested: the call waits like ADCL_Request_wait and sets \p flag to 1. Errors: ADCL_ERR_STATE (without an
 *  init), ADCL_ERR_ARGUMENT. */
ADCL_API int ADCL_Request_test(ADCL_Request req, int *flag);
/** Advances an operation in flight, if there is one. \p depth is the nesting level of the calling loop, 0 for the
 *  outermost; a codelet ignores calls below its progress depth. Blocking and user-defined codelets ignore all calls.
 *  Local. ADCL_ERR_ARGUMENT if \p depth < 0. */
ADCL_API int ADCL_Request_progress(ADCL_Request req, int depth);
/** Measures communication and computation as one unit. With a nonblocking codelet, it starts the operation, calls
 *  \p mid (work that needs no halo), completes the operation, and calls \p end (the remaining work). With a blocking
 *  codelet, it runs the operation, then calls \p total (all work). The request is in flight until this call returns;
 *  \p mid may test and advance it. Collective like ADCL_Request_start. Errors: those of ADCL_Request_start,
 *  ADCL_ERR_ARGUMENT (a null function; the communication took place, because the other ranks wait for it). */
ADCL_API int ADCL_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr *mid, ADCL_work_fnct_ptr *end,
                                        ADCL_work_fnct_ptr *total);
/** Replaces the measured time of the last start with \p seconds >= 0, before the next start. In production, only
 *  ADCL_MONITOR uses the time. Local. Errors: ADCL_ERR_STATE (never started, or in flight), ADCL_ERR_ARGUMENT. */
ADCL_API int ADCL_Request_update(ADCL_Request req, double seconds);
/** Re-checks the decision after a change that the library cannot detect, such as a different load: measures the winner
 *  again, at most five times, and keeps it if it takes as long as before; otherwise a new search begins. Before the
 *  first start, it re-checks the values of ADCL_Request_restore_status; while searching, it does nothing. It applies to
 *  the mode used last, and to all requests that share the search. Collective. Errors: ADCL_ERR_STATE (in flight). */
ADCL_API int ADCL_Request_verify(ADCL_Request req);

/* ---- Timer: tunes several requests together ---------------------------------------------------------------------- */

/** Tunes several requests by the time of a part of the program, from ADCL_Timer_start to ADCL_Timer_stop, such as an
 *  iteration with its computation. The timer decides for the modes in which the first part uses the requests; requests
 *  that share a search run the same codelet. While it searches, the ranks synchronize before and after every
 *  ADCL_TIMER_INTERVAL parts, which are one sample. Up to ADCL_TIMER_COMBINATIONS combinations of codelets are all
 *  compared; beyond that, the codelets of one request at a time. ADCL_Request_update for one of the requests, after
 *  ADCL_Timer_stop, replaces the time of a part, and ADCL_Request_get_statistics returns the time of a part with the
 *  best combination that contains the codelet. ADCL_Request_verify re-checks the timer's decision.
 *  \param n     number of requests; their communicators have the same processes. 0: ADCL_Timer_add_request adds them
 *  \param reqs  the requests; may be freed before the timer, which keeps them
 *  Collective over the first request's communicator; local if \p n is 0. Errors: ADCL_ERR_ARGUMENT (a request twice,
 *  communicators of different processes), ADCL_ERR_HANDLE, ADCL_ERR_STATE (in flight, in another timer). */
ADCL_API int ADCL_Timer_create(int n, const ADCL_Request *reqs, ADCL_Timer *timer);
/** The requests keep the winners; requests without a winner search on their own from now on. Collective.
 *  Errors: ADCL_ERR_HANDLE, ADCL_ERR_STATE (it is running, or a request is in flight). */
ADCL_API int ADCL_Timer_free(ADCL_Timer *timer);
/** Adds or removes a request; the timer needs ADCL_Timer_commit before its next start. Local. Errors: ADCL_ERR_HANDLE,
 *  ADCL_ERR_ARGUMENT (it is in the timer already, or is not), ADCL_ERR_STATE (running). */
ADCL_API int ADCL_Timer_add_request(ADCL_Timer timer, ADCL_Request req);
ADCL_API int ADCL_Timer_remove_request(ADCL_Timer timer, ADCL_Request req);
/** Begins a new search with the timer's requests. Collective. Errors: those of ADCL_Timer_create; ADCL_ERR_STATE (no
 *  requests). */
ADCL_API int ADCL_Timer_commit(ADCL_Timer timer);
/** Begin and end the timed part. Collective like ADCL_Request_start. Errors: ADCL_ERR_STATE (start: not committed or
 *  already running; stop: not running). */
ADCL_API int ADCL_Timer_start(ADCL_Timer timer);
ADCL_API int ADCL_Timer_stop(ADCL_Timer timer);
/** ADCL_STATE_SEARCH or ADCL_STATE_PRODUCTION. Local. */
ADCL_API int ADCL_Timer_get_state(ADCL_Timer timer, int *state);

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

/** ADCL_STATE_SEARCH or ADCL_STATE_PRODUCTION, in the mode used last (see ADCL_Request_create). The default search
 *  decides early. In a long program it tries other codelets later, in some starts of production. Local, like all
 *  functions below except ADCL_Request_restore_status. */
ADCL_API int ADCL_Request_get_state(ADCL_Request req, int *state);
/** Name of the codelet that ran last, in the mode used last; "" before the first start. */
ADCL_API int ADCL_Request_get_curr_function(ADCL_Request req, char *name, int size);
/** Name of the winner in the mode used last; "" while searching. */
ADCL_API int ADCL_Request_get_winner(ADCL_Request req, char *name, int size);
/** Name of the request's function set. */
ADCL_API int ADCL_Request_get_fsname(ADCL_Request req, char *name, int size);
/** Number of candidates: codelets of the set that are applicable on all ranks, including blocking codelets, which
 *  ADCL_Request_init does not run. */
ADCL_API int ADCL_Request_get_functions_num(ADCL_Request req, int *num);
/** Results of candidate \p i, 0 <= i < num, after the last agreement of the ranks, in the mode used last. Pointers may
 *  be NULL.
 *  \param name             name of the candidate, in \p size bytes
 *  \param measurements     minimum number of samples of a rank
 *  \param mean_s           largest mean time over the ranks, seconds; 0 if not measured
 *  \param filtered_mean_s  the same for the samples that are not outliers (thesis eq. 5.4)
 *  \param outliers         largest number of outliers on any rank */
ADCL_API int ADCL_Request_get_statistics(ADCL_Request req, int i, char *name, int size, int *measurements,
                                         double *mean_s, double *filtered_mean_s, int *outliers);
/** Communicator of this request's codelets (a duplicate; do not free it), and this process's rank in it and its size.
 *  Pointers may be NULL. User-defined codelets of all requests on one communicator share one duplicate. ADCL sends
 *  nothing on it, so the codelets may use all tags. */
ADCL_API int ADCL_Request_get_comm(ADCL_Request req, MPI_Comm *comm, int *rank, int *size);
/** Number of fields: 1, except with ADCL_Request_create_several and linked ADCL_Halo descriptors. */
ADCL_API int ADCL_Request_get_fields_num(ADCL_Request req, int *num);
/** Vectors of field \p i, 0 <= i < num; the same vector twice after ADCL_Request_create. ADCL_VECTOR_NULL if the vector
 *  was freed, or if ADCL_Halo_init created it. Pointers may be NULL. Errors: ADCL_ERR_ARGUMENT (no such field). */
ADCL_API int ADCL_Request_get_field(ADCL_Request req, int i, ADCL_Vector *svec, ADCL_Vector *rvec);
/** Base address of a vector's data. */
ADCL_API int ADCL_Vector_get_data(ADCL_Vector vec, void **data);
/** The \p n attribute values of the running codelet, or of the codelet that ran last in the mode used last; n is the
 *  number of attributes of the set. Errors: ADCL_ERR_STATE (before the first start), ADCL_ERR_ARGUMENT. */
ADCL_API int ADCL_Request_get_attribute_values(ADCL_Request req, int n, int *values);
/** Sets the name of the request in reports and traces: 1 to ADCL_MAX_NAME - 1 bytes. Requests that share a search
 *  appear with all their names. ADCL_ERR_ARGUMENT for a name that is null, empty or too long. */
ADCL_API int ADCL_Request_set_name(ADCL_Request req, const char *name);
/** Stores a pointer that the application passes to its codelets. Each request of a user-defined set has its own search,
 *  unless ADCL_Fnctset_set_sharing is 1 for the set. */
ADCL_API int ADCL_Request_set_context(ADCL_Request req, void *context);
ADCL_API int ADCL_Request_get_context(ADCL_Request req, void **context);
/** Copies the results of the search in the mode used last, for a later request with the same function set: arrays of
 *  \p n entries, one per candidate; \p n is the result of ADCL_Request_get_functions_num. Unmeasured candidates have 0
 *  measurements. */
ADCL_API int ADCL_Request_save_status(ADCL_Request req, int n, int *measurements, double *mean_s,
                                      double *filtered_mean_s, int *outliers);
/** Restores the results of ADCL_Request_save_status in a request that was not yet started: no mode measures a candidate
 *  with measurements again. Rank 0's values apply. Collective over the request's communicator. Errors:
 *  ADCL_ERR_STATE (the request, or one that shares its search, was started before), ADCL_ERR_ARGUMENT (\p n is not the
 *  number of candidates, an entry is negative). */
ADCL_API int ADCL_Request_restore_status(ADCL_Request req, int n, const int *measurements, const double *mean_s,
                                         const double *filtered_mean_s, const int *outliers);

#ifdef __cplusplus
}
#endif

#endif
