#!/usr/bin/env bash
# make bench NAME=x: runs bench/x.py, or else the program bench_x on 2 ranks; either writes build/bench/x.json.
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

if [[ $name == models ]]; then tools/setup.sh models; else tools/setup.sh build; fi
preset=$(first_preset)
result=build/bench/$name.json
mkdir -p build/bench
rm -f "$result"
if [[ -f bench/$name.py ]]; then
  [[ $name == models ]] || build "$preset"
  "$venv/bin/python" "bench/$name.py" --build "build/$preset" --output "$result"
else
  build "$preset" "bench_$name"
  "build/$preset/launch" 2 "build/$preset/bin/bench_$name" "$result"
fi
exec "$venv/bin/python" tools/figures.py "$result"
