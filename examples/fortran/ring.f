! ranks: 1 2 3 4
!     Fixed form with ADCL.inc: objects in a common block, created in
!     the main program and used in a subroutine. The data travel around
!     a ring of processes, from array u2 into array u1.
      program ring_exchange
      implicit none
      include 'mpif.h'
      integer ntdivnp
      parameter (ntdivnp = 66)
      integer adcl_topo, adcl_vmap, adcl_svec, adcl_rvec, adcl_request
      logical use_adcl
      common /adcl/ adcl_topo, adcl_vmap, adcl_svec, adcl_rvec,
     >              adcl_request, use_adcl
      double complex u1(ntdivnp), u2(ntdivnp)
      common /bigarrays/ u1, u2
      integer dc_type, ierr, iter, niter, np, me, ring, wrong, i
      parameter (niter = 120)
      logical periodic(1)
      include 'ADCL.inc'

      call MPI_Init(ierr)
      call ADCL_Init(ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
      dc_type = MPI_DOUBLE_COMPLEX
      periodic(1) = .true.
      call MPI_Cart_create(MPI_COMM_WORLD, 1, np, periodic, .false.,
     >                     ring, ierr)
      call MPI_Comm_rank(ring, me, ierr)

c     set up ADCL data structures
      call adcl_topology_create ( ring, 0, adcl_topo, ierr )
      call adcl_vmap_halo_allocate( 1, adcl_vmap, ierr )
      call adcl_vector_register ( 1, ntdivnp, 0, dc_type, u2,
     >     adcl_svec, ierr )            ! send vector
      call adcl_vector_register ( 1, ntdivnp, 0, dc_type, u1,
     >     adcl_rvec, ierr )            ! receive vector
      call adcl_request_create_generic ( adcl_svec, adcl_vmap,
     >     adcl_rvec, adcl_vmap, adcl_topo, ADCL_FNCTSET_NEIGHBORHOOD,
     >     adcl_request, ierr )
      if (ierr .ne. ADCL_SUCCESS) then
        print *, ADCL_Last_error()
        error stop 1
      end if
      use_adcl = .true.

c     main loop
      do iter = 1, niter
        do i = 1, ntdivnp
          u1(i) = (-1d0, -1d0)
          u2(i) = dcmplx(iter, ntdivnp*me + i)
        end do
        call exchange
        wrong = 0
        if (u1(1) .ne. dcmplx(iter, ntdivnp*mod(me+np-1, np)
     >                        + ntdivnp-1)) wrong = 1
        if (u1(ntdivnp) .ne. dcmplx(iter, ntdivnp*mod(me+1, np)
     >                              + 2)) wrong = 1
        do i = 2, ntdivnp-1
          if (u1(i) .ne. (-1d0, -1d0)) wrong = 1
        end do
        call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER,
     >                     MPI_SUM, ring, ierr)
        if (wrong .gt. 0) error stop 'the wrong elements arrived'
      end do
      if (me .eq. 0) print *, 'the right elements arrived every time'

c     free ADCL objects
      call adcl_request_free ( adcl_request, ierr )
      call adcl_topology_free ( adcl_topo, ierr )
      call adcl_vector_deregister( adcl_svec, ierr )
      call adcl_vector_deregister( adcl_rvec, ierr )
      call adcl_vmap_free (adcl_vmap, ierr )

      call MPI_Comm_free(ring, ierr)
      call ADCL_Finalize(ierr)
      call MPI_Finalize(ierr)
      end program ring_exchange

      subroutine exchange
      implicit none
      include 'ADCL.inc'
      integer adcl_topo, adcl_vmap, adcl_svec, adcl_rvec, adcl_request
      logical use_adcl
      common /adcl/ adcl_topo, adcl_vmap, adcl_svec, adcl_rvec,
     >              adcl_request, use_adcl
      integer ierr
      if (use_adcl) call adcl_request_start ( adcl_request, ierr )
      end subroutine exchange
