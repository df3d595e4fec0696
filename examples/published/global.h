!     What the parts of FT share (section 4.2.1 of the thesis).
      integer ntdivnp
      parameter (ntdivnp = 48)
      double complex u1(ntdivnp), u2(ntdivnp)
      integer np, me, dc_type, commslice1
      common /ftdata/ u1, u2, np, me, dc_type, commslice1

      integer adcl_topo, adcl_vmap, adcl_svec, adcl_rvec, adcl_request
      integer adcl_timer
      logical use_adcl

      common /adcl/ adcl_topo, adcl_vmap, adcl_svec, adcl_rvec,
     >              adcl_request, adcl_timer, use_adcl
