! ranks: 1 2 3
!     A program in the traditional style: fixed form, implicit types,
!     the include line before all declarations as in Fig. 4.1 of the
!     thesis, and arrays without TARGET, in a common block or
!     registered in the subroutine to which they are local. Compiled
!     with the highest optimization: starts change arrays that are
!     not among their arguments.
      program legacy
      include 'ADCL.inc'
      include 'mpif.h'
      logical periodic
      dimension periodic(1)
      common /ring/ me, left, iright, iwrong
      call mpi_init(ierr)
      call adcl_init(ierr)
      call adcl_option_set('ADCL_MEASUREMENTS', '1', ierr)
      call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
      periodic(1) = .true.
      call mpi_cart_create(MPI_COMM_WORLD, 1, np, periodic, .false.,
     >                     icomm, ierr)
      call mpi_comm_rank(icomm, me, ierr)
      call mpi_cart_shift(icomm, 0, 1, left, iright, ierr)
      iwrong = 0
      call local(icomm)
      call shared(icomm)
      call mpi_allreduce(MPI_IN_PLACE, iwrong, 1, MPI_INTEGER, MPI_SUM,
     >                   icomm, ierr)
      call mpi_comm_free(icomm, ierr)
      call adcl_finalize(ierr)
      call mpi_finalize(ierr)
      if (iwrong .gt. 0) stop 1
      end

c     a local array: the compiler sees every use of it
      subroutine local(icomm)
      include 'ADCL.inc'
      include 'mpif.h'
      common /ring/ me, left, iright, iwrong
      double precision a(5)
      call adcl_vector_register(1, 5, 0, MPI_DOUBLE_PRECISION, a, ivec,
     >                          ierr)
      if (ierr .ne. ADCL_SUCCESS) iwrong = iwrong + 1
      call make(icomm, ivec, ireq)
      do istart = 1, 60
        a(1) = -1
        a(2) = istart + 10000*me
        a(4) = istart + 10000*me + 5000
        a(5) = -1
        call adcl_request_start(ireq, ierr)
        if (a(1) .ne. istart + 10000*left + 5000) iwrong = iwrong + 1
        if (a(5) .ne. istart + 10000*iright) iwrong = iwrong + 1
        a(2) = -7
        call adcl_request_init(ireq, ierr)
        call adcl_request_wait(ireq, ierr)
        if (a(5) .ne. -7) iwrong = iwrong + 1
      end do
      call adcl_request_free(ireq, ierr)
      call adcl_vector_deregister(ivec, ierr)
      end

c     an array that every program unit sees
      subroutine shared(icomm)
      implicit real*8 (a-h, o-z)
      include 'ADCL.inc'
      include 'mpif.h'
      common /ring/ me, left, iright, iwrong
      common /array/ b(5)
      call describe(MPI_DOUBLE_PRECISION, b, ivec)
      call make(icomm, ivec, ireq)
      do istart = 1, 60
        call fill(istart)
        call adcl_request_start(ireq, ierr)
        if (b(1) .ne. istart + 10000*left + 5000) iwrong = iwrong + 1
        if (b(5) .ne. istart + 10000*iright) iwrong = iwrong + 1
      end do
      call adcl_request_free(ireq, ierr)
      call adcl_vector_deregister(ivec, ierr)
      end

      subroutine fill(istart)
      implicit real*8 (a-h, o-z)
      common /ring/ me, left, iright, iwrong
      common /array/ b(5)
      b(1) = -1
      b(2) = istart + 10000*me
      b(4) = istart + 10000*me + 5000
      b(5) = -1
      end

c     an array whose declared size means nothing
      subroutine describe(itype, array, ivec)
      include 'ADCL.inc'
      double precision array(1)
      common /ring/ me, left, iright, iwrong
      call adcl_vector_register(1, 5, 0, itype, array, ivec, ierr)
      if (ierr .ne. ADCL_SUCCESS) iwrong = iwrong + 1
      end

      subroutine make(icomm, ivec, ireq)
      include 'ADCL.inc'
      common /ring/ me, left, iright, iwrong
      call adcl_vmap_halo_allocate(1, ivmap, ierr)
      call adcl_topology_create(icomm, 0, itopo, ierr)
      call adcl_request_create(ivec, ivmap, itopo,
     >  ADCL_FNCTSET_NEIGHBORHOOD, ireq, ierr)
      if (ierr .ne. ADCL_SUCCESS) iwrong = iwrong + 1
      call adcl_topology_free(itopo, ierr)
      call adcl_vmap_free(ivmap, ierr)
      end
