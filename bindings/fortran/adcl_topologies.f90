!> Topologies, for communicators of module mpi_f08 and of module mpi.
module adcl_topologies
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08, only: MPI_Comm
  use adcl_types, only: ADCL_Topology
  implicit none
  private
  public :: ADCL_Topology_create, ADCL_Topology_create_generic, ADCL_Topology_create_extended
  public :: ADCL_Topology_create_graph, ADCL_Topology_free

  !> The thesis passes the root in Fig. 4.1 and leaves it out in Fig. 5.2: without it, it is rank 0.
  interface ADCL_Topology_create
    subroutine create_f08(comm, root, topo, ierror) bind(C, name='adcl_f_topology_create')
      import :: c_int, ADCL_Topology, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(in) :: root
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_mpi(comm, root, topo, ierror) bind(C, name='adcl_f_topology_create')
      import :: c_int, ADCL_Topology
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(in) :: root
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_rootless_f08(comm, topo, ierror) bind(C, name='adcl_f_topology_create_rootless')
      import :: c_int, ADCL_Topology, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_rootless_mpi(comm, topo, ierror) bind(C, name='adcl_f_topology_create_rootless')
      import :: c_int, ADCL_Topology
      integer(c_int), intent(in) :: comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> Without \p coords (name the arguments after it) they are not known.
  interface ADCL_Topology_create_generic
    subroutine create_generic_f08(ndims, lneighbors, rneighbors, coords, direction, comm, topo, ierror) &
      bind(C, name='adcl_f_topology_create_generic')
      import :: c_int, ADCL_Topology, MPI_Comm
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: lneighbors, rneighbors
      integer(c_int), dimension(..), intent(in), optional :: coords
      integer(c_int), intent(in) :: direction
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_generic_mpi(ndims, lneighbors, rneighbors, coords, direction, comm, topo, ierror) &
      bind(C, name='adcl_f_topology_create_generic')
      import :: c_int, ADCL_Topology
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: lneighbors, rneighbors
      integer(c_int), dimension(..), intent(in), optional :: coords
      integer(c_int), intent(in) :: direction
      integer(c_int), intent(in) :: comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Topology_create_extended
    subroutine create_extended_f08(cart_comm, topo, ierror) bind(C, name='adcl_f_topology_create_extended')
      import :: c_int, ADCL_Topology, MPI_Comm
      type(MPI_Comm), intent(in) :: cart_comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_extended_mpi(cart_comm, topo, ierror) bind(C, name='adcl_f_topology_create_extended')
      import :: c_int, ADCL_Topology
      integer(c_int), intent(in) :: cart_comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Topology_create_graph
    subroutine create_graph_f08(graph_comm, topo, ierror) bind(C, name='adcl_f_topology_create_graph')
      import :: c_int, ADCL_Topology, MPI_Comm
      type(MPI_Comm), intent(in) :: graph_comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine create_graph_mpi(graph_comm, topo, ierror) bind(C, name='adcl_f_topology_create_graph')
      import :: c_int, ADCL_Topology
      integer(c_int), intent(in) :: graph_comm
      type(ADCL_Topology), intent(out) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface
    subroutine ADCL_Topology_free(topo, ierror) bind(C, name='adcl_f_topology_free')
      import :: c_int, ADCL_Topology
      type(ADCL_Topology), intent(inout) :: topo
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_topologies
