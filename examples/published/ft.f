! ranks: 1 2 3 4
!     NAS FT with ADCL, as in Figures 4.1 and 4.2 of the thesis: the
!     main program creates the objects, and transpose2_global starts
!     the request instead of calling MPI_Alltoall.
      program ft
      implicit none
      include 'mpif.h'
      include 'global.inc'
      integer ierr, iter, niter
      parameter (niter = 200)
      include 'ADCL.inc'

      call MPI_Init(ierr)
      call ADCL_Init(ierr)
      call setup

c     set up ADCL data structures
      call adcl_topology_create ( MPI_COMM_WORLD, 0, adcl_topo, ierr )
      call adcl_vmap_alltoall_allocate( ntdivnp/np, ntdivnp/np,
     >     adcl_vmap, ierr )
      call adcl_vector_register ( 1, ntdivnp, 0, dc_type, u2,
     >     adcl_svec, ierr )            ! send vector
      call adcl_vector_register ( 1, ntdivnp, 0, dc_type, u1,
     >     adcl_rvec, ierr )            ! receive vector
      call adcl_request_create_generic ( adcl_svec, adcl_vmap,
     >     adcl_rvec, adcl_vmap, adcl_topo, ADCL_FNCTSET_ALLTOALL,
     >     adcl_request, ierr )
      if (ierr .ne. ADCL_SUCCESS) then
        print *, ADCL_Last_error()
        error stop 1
      end if

c     the problem runs once without ADCL
      use_adcl = .false.
      call evolve(0)
      call fft
      call verify(0)
      use_adcl = .true.

c     main loop
      do iter = 1, niter
        call evolve(iter)
        call fft
        call verify(iter)
      end do
      if (me .eq. 0) print *, 'the right elements arrived every time'

c     free ADCL objects
      call adcl_request_free ( adcl_request, ierr )
      call adcl_topology_free ( adcl_topo, ierr )
      call adcl_vector_deregister( adcl_svec, ierr )
      call adcl_vector_deregister( adcl_rvec, ierr )
      call adcl_vmap_free (adcl_vmap, ierr )

      call MPI_Comm_free(commslice1, ierr)
      call ADCL_Finalize(ierr)
      call MPI_Finalize(ierr)
      end program ft

      include 'ft_steps.inc'
