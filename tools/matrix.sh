#!/usr/bin/env bash
# make matrix: builds and tests with every supported MPI library, on 16 ranks too and with messages past 2 GiB; then, as
# root, `make demo` on a bare machine, as root and as an ordinary user; last, all quick studies. Prints one table at the end.
# MATRIX="openmpi impi bare studies" picks some; LARGE_TESTS=OFF leaves out what takes long or 9 GB of memory.
set -euo pipefail
source "$(dirname "$0")/common.sh"

export LARGE_TESTS=${LARGE_TESTS:-ON}
tools/setup.sh matrix
presets=(mpi-abi openmpi5 impi)
if have mpicc.mpich; then presets=(mpich "${presets[@]}"); fi
if have mpicc.openmpi; then presets=(openmpi "${presets[@]}"); fi
if have smpicxx; then presets+=(smpi); fi
if ((EUID == 0)) && have debootstrap; then presets+=(bare); fi
if [[ -n ${MATRIX-} ]]; then read -ra presets <<<"$MATRIX"; fi

# What ctest's log says: how many tests, how many of them failed.
counts() {
  sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "build/$1/ctest.log" | tail -n 1
}

# bare <user>: `make demo` on a machine that has nothing but what README asks for; a row of the table.
bare() {
  local begin=$SECONDS log=build/bare-$1.log
  say "make demo on a bare machine as ${1/#user/an ordinary user}; its output is in $log"
  if tools/bare_machine.sh "$1" 'make demo' >"$log" 2>&1 </dev/null; then
    rows+=("bare|1|0|$((SECONDS - begin)) s, make demo as $1")
  else
    tail -n 20 "$log" >&2
    rows+=("bare|0|1|make demo as $1 fails")
    status=1
  fi
}

rows=()
status=0
for preset in "${presets[@]}"; do
  if [[ $preset == studies ]]; then continue; fi
  if [[ $preset == bare ]]; then
    bare root
    bare user
    continue
  fi
  begin=$SECONDS
  # With the first MPI library each file is compiled by itself, which shows whether it includes what it uses.
  UNITY=ON
  if [[ $preset == "${presets[0]}" ]]; then UNITY=OFF; fi
  if ! (build "$preset"); then
    rows+=("$preset|-|-|does not build")
    status=1
    continue
  fi
  test_preset "$preset" || status=1
  read -r failures tests <<<"$(counts "$preset")" || true
  if [[ -z ${tests-} ]]; then
    rows+=("$preset|-|-|ctest ran no tests")
    continue
  fi
  library=$(sed -nE 's/^-- MPI library: [^ ]+ \(([^,]*).*\)$/\1/p' "build/$preset/configure.log" | tail -n 1)
  rows+=("$preset|$((tests - failures))|$failures|$((SECONDS - begin)) s, ${library%)}")
done

# The quick forms of all studies, with what they need.
if [[ -z ${MATRIX-} || " $MATRIX " == *" studies "* ]]; then
  begin=$SECONDS
  if tools/study.sh --all; then
    rows+=("studies|1|0|$((SECONDS - begin)) s, all quick studies")
  else
    rows+=("studies|0|1|a quick study failed")
    status=1
  fi
fi

echo
printf '%-10s %7s %7s  %s\n' preset passed failed ''
for row in "${rows[@]}"; do
  IFS='|' read -r preset passed failures rest <<<"$row"
  printf '%-10s %7s %7s  %s\n' "$preset" "$passed" "$failures" "$rest"
done
exit "$status"
