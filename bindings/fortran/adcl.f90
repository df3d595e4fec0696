!> The Fortran interface of ADCL; docs/fortran.md explains it, ADCL.h states the contract of each function.
module adcl
  use adcl_collectives_f08
  use adcl_collectives_mpi
  use adcl_environment
  use adcl_functions, only: ADCL_Attribute_create, ADCL_Attribute_free, ADCL_Attrset_create, ADCL_Attrset_free, &
                            ADCL_Function_create, ADCL_Function_create_async, ADCL_Function_free, &
                            ADCL_Fnctset_create, ADCL_Fnctset_create_single, ADCL_Fnctset_free, ADCL_Fnctset_set_sharing, &
                            ADCL_Fnctset_set_similarity, ADCL_NULL_FUNCTION
  use adcl_nonblocking_f08
  use adcl_nonblocking_mpi
  use adcl_reflection
  use adcl_requests
  use adcl_timers
  use adcl_topologies
  use adcl_types
  use adcl_vectors
  implicit none
  public
end module adcl
