#!/usr/bin/env bash
# make check: builds everything and runs its tests with two MPI libraries, then the tests of the Python package.
# Ends with the closing lines of ctest and pytest, which build/closing-lines.txt keeps.
set -euo pipefail
source "$(dirname "$0")/common.sh"

closing=build/closing-lines.txt
failed=()

# keep <title> <pattern> <log>: stores the closing lines of a log.
keep() {
  {
    echo "$1"
    grep -E "$2" "$3" || echo "none: it did not finish"
  } >>"$closing"
}

tools/setup.sh test
mkdir -p build
: >"$closing"
# Random problems run shorter than in `make matrix`; each run draws new problems.
export ADCL_TEST_SHARE=${ADCL_TEST_SHARE:-0.25}
# check <preset> [<ctest argument>...]
check() {
  local preset=$1
  shift
  build "$preset"
  test_preset "$preset" "$@" || failed+=("ctest with preset $preset")
  keep "ctest, preset $preset" '^[0-9]+% tests passed|^Total Test time' "build/$preset/ctest.log"
}
# Most tests run on 3 and more ranks with the first library, and on 1 and 2 ranks with the second one (adcl_label_ranks).
check "$(first_preset)" -LE '^few_ranks$'
# The second library skips tests without MPI, most of the C interface under valgrind, and codelets that another test runs
# under valgrind. With MPICH on many more ranks than cores, only codelets are tested, on up to 5 ranks. `make matrix` runs
# all tests.
spinning='adcl1[.]np[45]$|^capi_order_of_starts[.]np4$|[.]np([78]|12)$'
once='^consumer[.]|^capi_[a-km-z][a-z_]*[.]valgrind'
once+='|^mpi_conformance_(adcl1|graph)[.]valgrind|^mpi_conformance_collectives[.]valgrind[.]np3$'
if (($(nproc) >= 8)); then spinning='^$'; fi
LIBRARY_ONLY=ON check "$(second_preset)" -E "$once|$spinning" -LE '^more_ranks$'
if [[ -f python/pyproject.toml ]]; then
  say "testing the Python package"
  # Most tests wait for programs that they start. Tests run one at a time if they use a real Slurm, which occupies the
  # machine, or if other tests would disturb their measurements.
  : >build/pytest.log
  run_pytest -n "$((2 * jobs))" --dist loadgroup -m "not slurm and not alone" || failed+=(pytest)
  run_pytest -m "slurm or alone" || failed+=("pytest, one test at a time")
  say "running two quick studies"
  tools/study.sh --check || failed+=("quick studies")
  keep pytest '(passed|failed|error).* in [0-9.]+s' build/pytest.log
fi

"$venv/bin/python" tools/test_kinds.py build/left-out.txt "$(first_preset)" "$(second_preset)" >build/test-kinds.txt ||
  failed+=("kinds of tests are missing")

echo
cat build/test-kinds.txt
echo
cat "$closing"
if ((${#failed[@]})); then
  fail "failed: $(IFS=,; echo "${failed[*]}")"
fi
