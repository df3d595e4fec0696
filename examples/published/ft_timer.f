! ranks: 1 2 3 4
!     NAS FT with a timer, as in Figure 6.5 of the thesis: codelets are
!     compared by the time of a whole iteration.
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
     >     adcl_svec, ierr )
      call adcl_vector_register ( 1, ntdivnp, 0, dc_type, u1,
     >     adcl_rvec, ierr )
      call adcl_request_create_generic ( adcl_svec, adcl_vmap,
     >     adcl_rvec, adcl_vmap, adcl_topo, ADCL_FNCTSET_ALLTOALL,
     >     adcl_request, ierr )
      use_adcl = .true.

c     define timer object
      call ADCL_Timer_create ( 1, adcl_request, adcl_timer, ierr )
      if (ierr .ne. ADCL_SUCCESS) then
        print *, ADCL_Last_error()
        error stop 1
      end if

c     main loop
      do iter = 1, niter
        call ADCL_Timer_start ( adcl_timer, ierr )

        call evolve(iter)
        call fft

        call ADCL_Timer_stop ( adcl_timer, ierr )
        if (ierr .ne. ADCL_SUCCESS) error stop 'the timer failed'
        call verify(iter)
      end do
      if (me .eq. 0) print *, 'the right elements arrived every time'

c     free timer object
      call ADCL_Timer_free ( adcl_timer, ierr )
c     free other ADCL objects
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
