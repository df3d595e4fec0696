#!/usr/bin/env bash
# make lint: runs all static checks and lists the failed checks.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh lint
lint_preset=lint
if [[ $(first_preset) != openmpi ]]; then lint_preset=$(first_preset); fi
failed=()
check() {
  local name=$1
  shift
  say "lint: $name"
  "$@" || failed+=("$name")
}

# files <pattern>...: files of the repository, tracked or untracked but not ignored.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [[ -f $f ]] && echo "$f"; done; }

clang_format() { files '*.cpp' '*.hpp' '*.c' '*.h' | xargs -r "$venv/bin/clang-format" --dry-run -Werror; }

clang_tidy() {
  if ! have clang-tidy; then
    echo "clang-tidy was not found (Debian: clang-tidy): skipped"
    return
  fi
  # Configure again to include new files. Without unity builds, each file is checked separately.
  (UNITY=OFF configure "$lint_preset") && cmake "build/$lint_preset" >/dev/null && "$venv/bin/python" tools/tidy.py "build/$lint_preset" "$jobs"
}

ruff_all() {
  "$venv/bin/ruff" check --no-cache --output-format concise . && "$venv/bin/ruff" format --check --no-cache .
}

# Check the package and its tests with the package's configuration, and every script separately.
mypy_all() {
  local script status=0
  (cd python && "$venv/bin/mypy") || status=1
  while read -r script; do
    "$venv/bin/mypy" --no-error-summary --config-file= --strict --python-version 3.11 "$script" || status=1
  done < <(files '*.py' | grep -vE '^(python|tests/python)/')
  return "$status"
}

symbols() {
  local library status=0
  for library in build/*/lib/libadcl.so; do
    [[ ! -f $library ]] || tools/symbols.sh "$library" || status=1
  done
  return "$status"
}

shell() { if have shellcheck; then files '*.sh' .ci/run | xargs -r shellcheck -x -P SCRIPTDIR; fi; }

check "clang-format" clang_format
check "layers and file lengths" "$venv/bin/python" tools/layers.py
check "ruff" ruff_all
check "mypy" mypy_all
check "shellcheck" shell
check "prose" "$venv/bin/python" tools/prose.py
check "exported symbols" symbols
check "documentation" tools/docs.sh
check "clang-tidy" clang_tidy

if ((${#failed[@]})); then
  fail "failed: $(IFS=,; echo "${failed[*]}")"
fi
say "lint: no errors"
