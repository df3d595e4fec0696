!> The Fortran interface of ADCL; docs/fortran.md explains it, ADCL.h states the contract of each function.
module adcl
  use adcl_calls
  use adcl_calls_f08
  use adcl_calls_mpi
  use adcl_support, only: ADCL_NULL_FUNCTION, ADCL_work_function
  use adcl_types
  implicit none
  public
end module adcl
