!> Writes a file NAME_RANK.vti for each rank and one NAME.pvti that ParaView opens: VTK's XML format for regular grids.
module vtk
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use block, only: cell_block
  use mpi_f08
  implicit none
  private
  public :: write_vtk

  character(len=*), parameter :: names(3) = [character(len=8) :: 'density', 'velocity', 'pressure']
  character(len=*), parameter :: components(3) = ['1', '3', '1']

contains

  function text_of(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function

  !> Attributes of a grid that begins at cell \p first.
  function extent_of(first, cells) result(text)
    integer, intent(in) :: first(3), cells(3)
    character(len=:), allocatable :: text
    integer :: d
    text = ''
    do d = 1, 3
      text = text//text_of(first(d))//' '//text_of(first(d) + cells(d))
      if (d < 3) text = text//' '
    end do
    text = '"'//text//'"'
  end function

  function geometry_of(block) result(text)
    type(cell_block), intent(in) :: block
    character(len=120) :: text
    write (text, '(a, 3(1x, es22.15), a)') 'Origin="0 0 0" Spacing="', block%widths, '"'
  end function

  !> Collective: \p values are the primitive variables with ghost cells. Returns true if all ranks could write.
  logical function write_vtk(name, block, values) result(good)
    character(len=*), intent(in) :: name
    type(cell_block), intent(in) :: block
    real(real64), intent(in) :: values(:, 0:, 0:, 0:)
    integer :: rank, status, parts(6, 1)
    integer, allocatable :: all_parts(:, :)
    integer :: ranks
    call MPI_Comm_rank(block%comm, rank)
    call MPI_Comm_size(block%comm, ranks)
    allocate (all_parts(6, ranks))
    parts(:, 1) = [block%first, block%cells]
    call MPI_Gather(parts, 6, MPI_INTEGER, all_parts, 6, MPI_INTEGER, 0, block%comm)
    call write_piece(name//'_'//text_of(rank)//'.vti', block, values, status)
    if (rank == 0 .and. status == 0) call write_index(name, block, all_parts, status)
    good = status == 0
    call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, block%comm)
  end function

  subroutine write_piece(file, block, values, status)
    character(len=*), intent(in) :: file
    type(cell_block), intent(in) :: block
    real(real64), intent(in) :: values(:, 0:, 0:, 0:)
    integer, intent(out) :: status
    integer :: unit, field, i, j, k, low, high
    open (newunit=unit, file=file, action='write', status='replace', iostat=status)
    if (status /= 0) return
    write (unit, '(a)', iostat=status) '<?xml version="1.0"?>', '<VTKFile type="ImageData" version="0.1">', &
      '<ImageData WholeExtent='//extent_of(block%first, block%cells)//' '//trim(geometry_of(block))//'>', &
      '<Piece Extent='//extent_of(block%first, block%cells)//'>', '<CellData Scalars="density">'
    low = 1
    do field = 1, 3
      high = merge(low + 2, low, field == 2)
      if (status == 0) write (unit, '(a)', iostat=status) '<DataArray type="Float32" Name="'//trim(names(field))// &
        '" NumberOfComponents="'//components(field)//'" format="ascii">'
      do k = 1, block%cells(3)
        do j = 1, block%cells(2)
          do i = 1, block%cells(1)
            if (status == 0) write (unit, '(3es15.7)', iostat=status) real(values(low:high, i, j, k), real32)
          end do
        end do
      end do
      if (status == 0) write (unit, '(a)', iostat=status) '</DataArray>'
      low = high + 1
    end do
    if (status == 0) write (unit, '(a)', iostat=status) '</CellData>', '</Piece>', '</ImageData>', '</VTKFile>'
    if (status == 0) then
      close (unit, iostat=status)
    else
      close (unit)
    end if
  end subroutine

  subroutine write_index(name, block, parts, status)
    character(len=*), intent(in) :: name
    type(cell_block), intent(in) :: block
    integer, intent(in) :: parts(:, :)
    integer, intent(out) :: status
    integer :: unit, field, part
    open (newunit=unit, file=name//'.pvti', action='write', status='replace', iostat=status)
    if (status /= 0) return
    write (unit, '(a)', iostat=status) '<?xml version="1.0"?>', '<VTKFile type="PImageData" version="0.1">', &
      '<PImageData GhostLevel="0" WholeExtent='//extent_of([0, 0, 0], block%all_cells)//' '//trim(geometry_of(block))// &
      '>', '<PCellData Scalars="density">'
    do field = 1, 3
      write (unit, '(a)', iostat=status) '<PDataArray type="Float32" Name="'//trim(names(field))// &
        '" NumberOfComponents="'//components(field)//'"/>'
    end do
    write (unit, '(a)', iostat=status) '</PCellData>'
    do part = 1, size(parts, 2)
      write (unit, '(a)', iostat=status) '<Piece Extent='//extent_of(parts(1:3, part), parts(4:6, part))//' Source="'// &
        name(index(name, '/', back=.true.) + 1:)//'_'//text_of(part - 1)//'.vti"/>'
    end do
    write (unit, '(a)', iostat=status) '</PImageData>', '</VTKFile>'
    close (unit)
  end subroutine

end module vtk
