!     A program that uses the installed ADCL: ADCL.inc on a
!     periodic ring.
      program ring
      implicit none
      include 'mpif.h'
      include 'ADCL.inc'
      integer cells(4), comm, request, rank, ranks, left, right
      integer istart, wrong, ierr
      common /cells/ cells
      call MPI_Init(ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      call MPI_Cart_create(MPI_COMM_WORLD, 1, ranks, .true., .false.,
     &                     comm, ierr)
      call MPI_Comm_rank(comm, rank, ierr)
      call MPI_Cart_shift(comm, 0, 1, left, right, ierr)
      call ADCL_Init(ierr)
      call ADCL_Halo_init(cells, 1, 4, 0, 1, MPI_INTEGER, comm,
     &                    request, ierr)
      wrong = 0
      if (ierr .ne. ADCL_SUCCESS) wrong = 1
      do istart = 1, 30
        cells(1) = -1
        cells(2) = 100*rank + istart
        cells(3) = 100*rank - istart
        cells(4) = -1
        call ADCL_Request_start(request, ierr)
        if (cells(1) .ne. 100*left - istart) wrong = wrong + 1
        if (cells(4) .ne. 100*right + istart) wrong = wrong + 1
      end do
      call ADCL_Request_free(request, ierr)
      call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM,
     &                   comm, ierr)
      call MPI_Comm_free(comm, ierr)
      call ADCL_Finalize(ierr)
      call MPI_Finalize(ierr)
      if (wrong .gt. 0) stop 1
      end
