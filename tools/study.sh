#!/usr/bin/env bash
# make study [NAME=x] [QUICK=1]: lists the studies, or builds the programs of study x and runs it. QUICK=1: quick form.
# tools/study.sh --all: runs the quick forms of all studies, for `make matrix`. --check: runs those of `make check` with
# existing programs. Lists failed studies at the end.
set -euo pipefail
source "$(dirname "$0")/common.sh"

python=$venv/bin/python

# build_for <study> <quick>: builds the programs of a study. Presets `first` and `second` are those of `make check`.
build_for() {
  local preset target
  while read -r preset target; do
    case $preset in
      first) preset=$(first_preset) ;;
      second) preset=$(second_preset) ;;
      openmpi) ;;
      mpich) tools/setup.sh test ;;
      smpi) tools/setup.sh simulation ;;
      mpi-abi) tools/setup.sh mpich5 ;;
      *) tools/setup.sh "$preset" ;;
    esac
    build "$preset" "$target"
  done < <("$python" -m studies needs "$1" ${2:+--quick})
}

# run_all <study>...: runs the quick forms; builds only if `building` is yes.
run_all() {
  local name failed=()
  for name in "$@"; do
    say "study $name, quick form"
    if [[ $building == yes ]] && ! (build_for "$name" quick); then
      failed+=("$name")
    elif ! "$python" -m studies run "$name" --quick; then
      failed+=("$name")
    fi
  done
  if ((${#failed[@]})); then fail "failed: ${failed[*]}"; fi
}

mode=${1-}
building=yes
case $mode in
  --check)
    building=no
    mapfile -t names < <("$python" -m studies names --check)
    run_all "${names[@]}"
    ;;
  --all)
    tools/setup.sh build
    mapfile -t names < <("$python" -m studies names)
    run_all "${names[@]}"
    ;;
  "")
    tools/setup.sh build >/dev/null
    if [[ -z ${NAME-} ]]; then exec "$python" -m studies list; fi
    "$python" -m studies needs "$NAME" >/dev/null
    build_for "$NAME" "${QUICK-}"
    "$python" -m studies run "$NAME" ${QUICK:+--quick}
    ;;
  *) fail "'$mode' is unknown; use make study NAME=x QUICK=1" ;;
esac
