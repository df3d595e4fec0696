#!/usr/bin/env bash
# make matrix: builds and tests with every supported MPI library, also on 16 ranks and with messages of more than 2 GiB.
# Then, as root, runs `make demo` on a bare machine, as root and as an ordinary user, mpi4py's tests under the interposer,
# all quick studies, and builds the packages: Debian's (as root), EasyBuild's (with Lmod) and the Python wheel. Prints a
# table. MATRIX="openmpi impi bare mpi4py studies packages" selects parts; LARGE_TESTS=OFF omits tests that take long or
# 9 GB of memory.
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

# selected <part>: whether an optional part runs.
selected() { [[ -z ${MATRIX-} || " $MATRIX " == *" $1 "* ]]; }

# counts <preset>: numbers of failed tests and of all tests, from ctest's log.
counts() {
  sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "build/$1/ctest.log" | tail -n 1
}

# bare <user>: runs `make demo` on a machine with only the packages that README requires; adds a row to the table.
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

# package <kind> <command>...: builds and tests a package; adds a row to the table.
package() {
  local kind=$1 begin=$SECONDS
  shift
  say "packages: $kind"
  if "$@" </dev/null; then
    rows+=("packages|1|0|$((SECONDS - begin)) s, $kind")
  else
    rows+=("packages|0|1|$((SECONDS - begin)) s, $kind failed")
    status=1
  fi
}

# left_out <kind> <reason>: adds a row for a package that this machine cannot build.
left_out() {
  say "packages: no $1: $2"
  rows+=("packages|-|-|$1 left out: $2")
}

# Builds the wheel and runs its tests.
# shellcheck disable=SC2317 # package calls it
wheel() {
  : >build/pytest.log
  tools/wheel.sh && run_pytest ../tests/python/test_wheel.py
}
# Prints the numbers of the wheel's tests that passed, failed and were skipped.
wheel_counts() { sed -nE 's/^=+ (.*(passed|failed|skipped|error).*) in [0-9].*/; its tests: \1/p' build/pytest.log; }

# shellcheck disable=SC2317 # package calls it
spack_style() {
  "$venv/bin/ruff" check --no-cache packaging/spack && "$venv/bin/ruff" format --check --no-cache packaging/spack
}

rows=()
status=0
for preset in "${presets[@]}"; do
  if [[ $preset =~ ^(mpi4py|studies|packages)$ ]]; then continue; fi
  if [[ $preset == bare ]]; then
    bare root
    bare user
    continue
  fi
  begin=$SECONDS
  # With the first MPI library, compile each file separately, to detect missing includes.
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

# mpi4py's own tests under the interposer, with three MPI libraries.
if selected mpi4py; then
  for preset in openmpi5 mpich5 impi; do
    begin=$SECONDS
    if (build "$preset" adcl_interpose) && timeout 1800 "$venv/bin/python" tools/mpi4py_tests.py "build/$preset"; then
      rows+=("mpi4py|1|0|$((SECONDS - begin)) s, its tests with $preset")
    else
      rows+=("mpi4py|0|1|its tests with $preset")
      status=1
    fi
  done
fi

# The quick forms of all studies, with their requirements.
if selected studies; then
  begin=$SECONDS
  if tools/study.sh --all; then
    rows+=("studies|1|0|$((SECONDS - begin)) s, all quick studies")
  else
    rows+=("studies|0|1|a quick study failed")
    status=1
  fi
fi

# The packages.
if selected packages; then
  if ((EUID == 0)) && have dpkg; then
    package "Debian packages" tools/package.sh
  else
    left_out "Debian packages" "they need root and dpkg"
  fi
  if [[ -n $(lmod_init) ]]; then
    package EasyBuild tools/easybuild.sh
  else
    left_out EasyBuild "Lmod was not found (Debian: lmod)"
  fi
  package "Python wheel" wheel
  rows[-1]+=$(wheel_counts | paste -sd '')
  package "style of the Spack recipe" spack_style
fi

echo
printf '%-10s %7s %7s  %s\n' preset passed failed ''
for row in "${rows[@]}"; do
  IFS='|' read -r preset passed failures rest <<<"$row"
  printf '%-10s %7s %7s  %s\n' "$preset" "$passed" "$failures" "$rest"
done
exit "$status"
