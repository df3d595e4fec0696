#!/usr/bin/env bash
# Checks that the interposer exports only MPI's names and requires only the MPI and C libraries. Usage:
# interpose_symbols.sh FILE
set -euo pipefail

needed=$(readelf -d "$1" | grep NEEDED)
exported=$(nm -D --defined-only "$1" | awk '{print $3}')
others=$(grep -vE '^(MPI|mpi)_' <<<"$exported" || true)
if [[ -n $others ]]; then
  printf '%s exports:\n%s\n' "$1" "$others" >&2
  exit 1
fi
for name in MPI_Allreduce MPI_Alltoall MPI_Neighbor_alltoallw MPI_Iallreduce; do
  grep -qx "$name" <<<"$exported" || {
    printf '%s does not export %s\n' "$1" "$name" >&2
    exit 1
  }
done
if grep -E 'libadcl|libstdc|libgcc' <<<"$needed"; then
  printf '%s needs a library that the program may not have\n' "$1" >&2
  exit 1
fi
