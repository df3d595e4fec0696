#!/usr/bin/env bash
# make bench NAME=x: runs bench/x.py, or else the program bench_x on 2 ranks; either writes build/bench/x.json.
# A bench in Python says in its first lines what it needs: what tools/setup.sh is asked for, and which targets are built.
#   # set-up: build openmpi5
#   # built first: fish_school cg
set -euo pipefail
source "$(dirname "$0")/common.sh"

benches() {
  {
    find bench -maxdepth 1 -name '[!_]*.py' -printf '%f\n' | sed 's/\.py$//'
    sed -nE 's/^ *add_executable\(bench_([a-z0-9_]+).*/\1/p' bench/CMakeLists.txt
  } 2>/dev/null | sort -u | paste -sd ' '
}

name=${1-}
[[ -n $name ]] || fail "say which: make bench NAME=x, where x is one of: $(benches)"
[[ " $(benches) " == *" $name "* ]] || fail "there is no bench '$name'; there are: $(benches)"

# stated <word>: what follows "# <word>:" in the first lines of the bench.
stated() { sed -nE "1,5s/^# $1: *(.*)$/\\1/p" "bench/$name.py"; }

needs=build targets=bench_$name
if [[ -f bench/$name.py ]]; then
  needs=$(stated set-up) targets=$(stated "built first")
  [[ -n $needs ]] || fail "bench/$name.py does not say what it needs: '# set-up: build' in its first lines"
fi
read -ra needs <<<"$needs"
read -ra targets <<<"$targets"
tools/setup.sh "${needs[@]}"
preset=$(first_preset)
result=build/bench/$name.json
mkdir -p build/bench
rm -f "$result"
if ((${#targets[@]})); then build "$preset" "${targets[@]}"; fi
if [[ -f bench/$name.py ]]; then
  "$venv/bin/python" "bench/$name.py" --build "build/$preset" --output "$result"
else
  "build/$preset/launch" 2 "build/$preset/bin/bench_$name" "$result"
fi
exec "$venv/bin/python" tools/figures.py "$result"
