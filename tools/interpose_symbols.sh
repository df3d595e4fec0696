#!/usr/bin/env bash
# Checks libadcl-interpose and its engine: libadcl-interpose requires only the C library, and exports only names that the MPI
# library defines. The engine requires only the MPI and C libraries, and defines the same names. Usage:
# interpose_symbols.sh LIBRARY ENGINE MPI-LIBRARY...
set -euo pipefail

needed=$(readelf -d "$1" | grep NEEDED)
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
others=$(grep -vE '^(MPI|mpi)_' <<<"$exported" || true)
if [[ -n $others ]]; then
  printf '%s exports:\n%s\n' "$1" "$others" >&2
  exit 1
fi
engine=$(nm -D --defined-only "$2" | awk '{print $3}' | grep -vx adcl_interpose_begin | sort)
if ! diff <(printf '%s\n' "$exported") <(printf '%s\n' "$engine"); then
  printf '%s and %s define different functions; src/interpose/CMakeLists.txt lists the kinds\n' "$1" "$2" >&2
  exit 1
fi
# Programs that test for a weak symbol, such as mpi4py, would call a wrapper that has no next function. Names of Fortran are
# compared if the libraries of MPI's Fortran interface are given.
defined=$(nm -D --defined-only "${@:3}" | awk 'NF == 3 {sub(/@.*/, "", $3); print $3}' | sort -u)
grep -qx MPI_Allreduce <<<"$defined" || {
  printf 'nm finds no functions in %s\n' "${*:3}" >&2
  exit 1
}
names='^MPI_[A-Z][a-z_]+'
if grep -qE '^mpi_(allreduce_|barrier_f08_)$' <<<"$defined"; then names=.; fi
missing=$(grep -E "$names" <<<"$exported" | grep -vxFf <(printf '%s\n' "$defined") || true)
if [[ -n $missing ]]; then
  printf '%s exports functions that the MPI library lacks:\n%s\n' "$1" "$missing" >&2
  exit 1
fi
for name in MPI_Allreduce MPI_Alltoall MPI_Neighbor_alltoallw MPI_Iallreduce; do
  grep -qx "$name" <<<"$exported" || {
    printf '%s does not export %s\n' "$1" "$name" >&2
    exit 1
  }
done
if grep -vE 'lib(c|dl|pthread)\.so|ld-linux' <<<"$needed"; then
  printf '%s needs a library that the program may not have\n' "$1" >&2
  exit 1
fi
if readelf -d "$2" | grep NEEDED | grep -E 'libadcl|libstdc|libgcc'; then
  printf '%s needs a library that the program may not have\n' "$2" >&2
  exit 1
fi
