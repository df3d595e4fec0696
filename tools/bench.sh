#!/usr/bin/env bash
# make bench NAME=x [PRESETS="openmpi openmpi5 mpi-abi"] [BENCH_FORM=short]: runs bench/*/x.py, or the program bench_x
# from bench/*/x.cpp, on 2 ranks or on the number in its first line ("// ranks: 4"). Both write build/bench/x.json. With
# several presets, the program runs with each of their MPI libraries, and x.json has all results. If x is not a
# bench but a folder of benches (decisions, scale, tune), all benches of the folder run, even if one of them fails.
# The first lines of a bench in Python list its requirements: arguments of tools/setup.sh, and targets to build.
#   # set-up: build openmpi5
#   # built first: fish_school cg smpi/live_decisions
#   # in make check                 its short form is a test of make check, not of make matrix only
# A target after smpi/ is built for simulated clusters, if SimGrid is installed. Two requirements are not arguments of
# tools/setup.sh: "root" (the bench requires root) and "openmpi4" (the bench requires Debian's Open MPI).
# BENCH_FORM=short takes seconds and writes build/bench/short/x.json: a test of the bench, with meaningless values.
# tools/bench.sh --built FOLDER x runs the bench from the build folder FOLDER, without set-up and build (for ctest). If
# something is missing, it prints what, and exits with code 77.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# bench_files: the source of each bench. Benches in Python run the programs live_x.
bench_files() {
  find bench -mindepth 2 -maxdepth 2 -name '[!_]*.py'
  find bench -mindepth 2 -maxdepth 2 -name '*.cpp' ! -name 'live_*' -exec grep -lE '^int main\(' {} +
}
bench_names() { bench_files | sed -E 's|.*/||; s|[.](py\|cpp)$||' | sort | paste -sd ' '; }

built=
if [[ ${1-} == --built ]]; then
  built=${2-}
  [[ -x $built/launch ]] || fail "--built '$built': no such build folder; usage: tools/bench.sh --built FOLDER NAME"
  shift 2
fi
name=${1-}
presets=("${@:2}")
[[ -n $name ]] || fail "NAME is missing: make bench NAME=x, where x is one of: $(bench_names)"
file=
for known in $(bench_files); do
  if [[ ${known##*/} == "$name".@(py|cpp) ]]; then file=$known; fi
done
members=$(bench_files | sed -nE 's/[.](py|cpp)$//p' | { grep -F "bench/$name/" || true; } | sort)
if [[ -z $file && -n $members ]]; then
  failed=()
  for member in $members; do
    member=${member##*/}
    say "bench $member"
    tools/bench.sh ${built:+--built "$built"} "$member" "${presets[@]}" || (($? == 77)) || failed+=("$member")
  done
  ((${#failed[@]} == 0)) || fail "these benches of bench/$name failed: ${failed[*]}"
  exit
fi
[[ -n $file ]] || fail "there is no bench '$name'; there are: $(bench_names)"
export BENCH_FORM=${BENCH_FORM:-usual}
case $BENCH_FORM in
  usual | full) results=build/bench ;;
  short) results=build/bench/short ;;
  *) fail "BENCH_FORM is '$BENCH_FORM'; it is usual (the default), short, or full" ;;
esac

# stated <word>: the text after "# <word>:" in the first lines of the bench.
stated() { sed -nE "1,5s/^# $1: *(.*)$/\\1/p" "$file"; }

# need_of <preset>: argument of tools/setup.sh for the preset.
need_of() {
  case $1 in
    openmpi) echo build ;;
    mpich) echo test ;;
    openmpi5 | impi) echo "$1" ;;
    mpi-abi) echo mpich5 ;;
    *) fail "there is no bench with preset '$1'; known are openmpi, openmpi5, mpich, mpi-abi and impi" ;;
  esac
}

skip() {
  say "skipped: bench $name needs $*"
  exit 77
}

# require_built: exits with code 77 if a requirement is missing.
require_built() {
  local need target
  for need in "${needs[@]}"; do
    case $need in
      openmpi5) [[ -x .venvs/openmpi5/bin/mpicc ]] || skip "Open MPI 5: tools/setup.sh openmpi5" ;;
      models) [[ -x .venvs/extrap/bin/python ]] || skip "Extra-P: tools/setup.sh models" ;;
      tune_peers) [[ -x .venvs/tune-peers/bin/python ]] || skip "Optuna and pymoode: tools/setup.sh tune_peers" ;;
      mpi_programs)
        for target in lmp hpcc pw.x; do have "$target" || skip "$target: tools/setup.sh mpi_programs"; done ;;
      root) if ((EUID != 0)) || ! have ip; then skip "root and iproute2"; fi ;;
      openmpi4) grep -q 'mpirun[.]openmpi' "$built/launch" || skip "Open MPI 4" ;;
      *) [[ -x $venv/bin/python ]] || skip "the project's Python: tools/setup.sh build" ;;
    esac
  done
  for target in "${own[@]}"; do
    [[ -x $built/bin/$target ]] || skip "the program $target, which is not in $built/bin"
  done
}

needs=build targets=bench_$name
if [[ $file == *.py ]]; then
  ((${#presets[@]} == 0)) || fail "$file chooses its MPI libraries itself; omit PRESETS"
  needs=$(stated set-up) targets=$(stated "built first")
  [[ -n $needs ]] || fail "$file does not list its requirements; add '# set-up: build' to its first lines"
fi
for preset in "${presets[@]}"; do needs+=" $(need_of "$preset")"; done
read -ra needs <<<"$needs"
read -ra targets <<<"$targets"
own=() simulated=()
for target in "${targets[@]}"; do
  case $target in
    smpi/*) simulated+=("${target#*/}") ;;
    *) own+=("$target") ;;
  esac
done
if [[ -n $built ]]; then
  require_built
else
  set_up=()
  for need in "${needs[@]}"; do
    case $need in root | openmpi4) ;; *) set_up+=("$need") ;; esac
  done
  tools/setup.sh "${set_up[@]}"
  if ((${#presets[@]} == 0)); then presets=("$(first_preset)"); fi
  for target in "${simulated[@]}"; do
    if have smpicxx; then build smpi "$target"; fi
  done
  for preset in "${presets[@]}"; do
    if ((${#own[@]})); then build "$preset" "${own[@]}"; fi
  done
  built=build/${presets[0]}
fi
ranks=$(sed -nE '1s|^// ranks: ([0-9]+)$|\1|p' "$file")
ranks=${ranks:-2}
result=$results/$name.json
mkdir -p "$results"
rm -f "$result"
if [[ $BENCH_FORM == short ]]; then rm -rf "${results:?}/$name"; fi
if [[ $file == *.py ]]; then
  module=${file%.py}
  "$venv/bin/python" -m "${module//\//.}" --build "$built" --output "$result"
elif ((${#presets[@]} <= 1)); then
  "$built/launch" "$ranks" "$built/bin/bench_$name" "$result"
else
  parts=()
  for preset in "${presets[@]}"; do
    parts+=("$preset=$results/$name.$preset.json")
    "build/$preset/launch" "$ranks" "build/$preset/bin/bench_$name" "$results/$name.$preset.json"
  done
  exec "$venv/bin/python" tools/figures.py "$result" "${parts[@]}"
fi
exec "$venv/bin/python" tools/figures.py "$result"
