#!/usr/bin/env bash
# Checks that the profiler exports only MPI's names and is not linked with libadcl. Usage: profile_symbols.sh FILE
set -euo pipefail

needed=$(readelf -d "$1" | grep NEEDED)
exported=$(nm -D --defined-only "$1" | awk '{print $3}')
others=$(grep -vE '^(MPI|mpi)_' <<<"$exported" || true)
if [[ -n $others ]]; then
  printf '%s exports:\n%s\n' "$1" "$others" >&2
  exit 1
fi
# The standard ABI of MPI has no Fortran interface.
names=(MPI_Send MPI_Finalize)
if ! grep -q libmpi_abi <<<"$needed"; then names+=(mpi_send_ mpi_isend_f08_ mpi_allreduce_f08ts_ mpi_finalize_); fi
for name in "${names[@]}"; do
  grep -qx "$name" <<<"$exported" || {
    printf '%s does not export %s\n' "$1" "$name" >&2
    exit 1
  }
done
if grep -E 'libadcl\.|libstdc' <<<"$needed"; then
  printf '%s needs a library that programs may not load\n' "$1" >&2
  exit 1
fi
