#!/usr/bin/env bash
# Checks the shared library's name and exports. Usage: symbols.sh <libadcl.so> [--write]
#
# It exports exactly the functions of ADCL.h and ADCL_v1.h, each with the version of the binary interface, and the list
# cmake/adcl.symbols is complete. --write adds new functions to the list; it never removes any.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

library=$1
list=cmake/adcl.symbols
abi=$(sed -nE 's/^set\(adcl_abi ([0-9]+)\)$/\1/p' cmake/AdclTargets.cmake)
exported=$(nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" {print $3}' | sed 's/@@/ /' | sort -u)
declared=$(cat include/*.h | tr '\n' ' ' | grep -oE 'ADCL_API [^;{]*;' | grep -oE 'ADCL_[A-Za-z_0-9]+\(' | tr -d '(' | sort -u)
status=0

# differences <before> <after>: fails and prints the words <before> and <after> before lines of only one of the texts.
differences() {
  local only
  only=$({ diff - <(echo "$4") <<<"$3" || true; } | sed -nE "s|^< |$1: |p; s|^> |$2: |p")
  if [[ -n $only ]]; then
    printf '%s\n%s\n' "$library:" "$only" >&2
    status=1
  fi
}

name=$(readelf -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
if [[ $name != "libadcl.so.$abi" ]]; then
  echo "$library: the SONAME is ${name:-missing} instead of libadcl.so.$abi (adcl_abi in cmake/AdclTargets.cmake)" >&2
  status=1
fi
differences 'declared, but not exported' 'exported, but not declared' "$declared" "$(cut -d ' ' -f 1 <<<"$exported")"
if [[ ${2:-} == --write ]]; then
  { cat "$list" 2>/dev/null || true; echo "$exported"; } | sed '/^$/d' | LC_ALL=C sort -u >"$list.new"
  mv "$list.new" "$list"
fi
differences "in $list, but removed from the library: restore it, or increase adcl_abi" \
  "not in $list: run tools/symbols.sh LIBRARY --write" "$(LC_ALL=C sort "$list")" "$(LC_ALL=C sort <<<"$exported")"
exit "$status"
