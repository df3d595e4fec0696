#!/usr/bin/env bash
# make bench NAME=x [PRESETS="openmpi openmpi5 mpi-abi"]: runs bench/x.py, or else the program bench_x on 2 ranks, or as
# many as the first line of bench/x.cpp says ("// ranks: 4"); either
# writes build/bench/x.json. With several presets the program runs with each of their MPI libraries, and x.json has all.
# A bench in Python says in its first lines what it needs: what tools/setup.sh is asked for, and which targets are built.
#   # set-up: build openmpi5
#   # built first: fish_school cg smpi/live_decisions
# A target after smpi/ is built for simulated clusters, where SimGrid is installed.
set -euo pipefail
source "$(dirname "$0")/common.sh"

benches() {
  {
    find bench -maxdepth 1 -name '[!_]*.py' -printf '%f\n' | sed 's/\.py$//'
    sed -nE 's/^ *add_executable\(bench_([a-z0-9_]+).*/\1/p' bench/CMakeLists.txt
  } 2>/dev/null | sort -u | paste -sd ' '
}

name=${1-}
presets=("${@:2}")
[[ -n $name ]] || fail "say which: make bench NAME=x, where x is one of: $(benches)"
[[ " $(benches) " == *" $name "* ]] || fail "there is no bench '$name'; there are: $(benches)"

# stated <word>: what follows "# <word>:" in the first lines of the bench.
stated() { sed -nE "1,5s/^# $1: *(.*)$/\\1/p" "bench/$name.py"; }

# need_of <preset>: what tools/setup.sh is asked for.
need_of() {
  case $1 in
    openmpi) echo build ;;
    mpich) echo test ;;
    openmpi5 | impi) echo "$1" ;;
    mpi-abi) echo mpich5 ;;
    *) fail "there is no bench with preset '$1'; known are openmpi, openmpi5, mpich, mpi-abi and impi" ;;
  esac
}

needs=build targets=bench_$name
if [[ -f bench/$name.py ]]; then
  ((${#presets[@]} == 0)) || fail "bench/$name.py chooses its MPI libraries itself; leave PRESETS out"
  needs=$(stated set-up) targets=$(stated "built first")
  [[ -n $needs ]] || fail "bench/$name.py does not say what it needs: '# set-up: build' in its first lines"
fi
for preset in "${presets[@]}"; do needs+=" $(need_of "$preset")"; done
read -ra needs <<<"$needs"
read -ra targets <<<"$targets"
tools/setup.sh "${needs[@]}"
if ((${#presets[@]} == 0)); then presets=("$(first_preset)"); fi
ranks=$(sed -nE '1s|^// ranks: ([0-9]+)$|\1|p' "bench/$name.cpp" 2>/dev/null || true)
ranks=${ranks:-2}
result=build/bench/$name.json
mkdir -p build/bench
rm -f "$result"
own=()
for target in "${targets[@]}"; do
  case $target in
    smpi/*) if have smpicxx; then build smpi "${target#*/}"; fi ;;
    *) own+=("$target") ;;
  esac
done
for preset in "${presets[@]}"; do
  if ((${#own[@]})); then build "$preset" "${own[@]}"; fi
done
if [[ -f bench/$name.py ]]; then
  "$venv/bin/python" "bench/$name.py" --build "build/${presets[0]}" --output "$result"
elif ((${#presets[@]} == 1)); then
  "build/${presets[0]}/launch" "$ranks" "build/${presets[0]}/bin/bench_$name" "$result"
else
  parts=()
  for preset in "${presets[@]}"; do
    parts+=("$preset=build/bench/$name.$preset.json")
    "build/$preset/launch" "$ranks" "build/$preset/bin/bench_$name" "build/bench/$name.$preset.json"
  done
  exec "$venv/bin/python" tools/figures.py "$result" "${parts[@]}"
fi
exec "$venv/bin/python" tools/figures.py "$result"
