#!/usr/bin/env bash
# Checks that the shared library exports exactly the functions of ADCL.h and ADCL_v1.h. Usage: symbols.sh <libadcl.so>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | sort -u)
declared=$(cat include/*.h | tr '\n' ' ' | grep -oE 'ADCL_API [^;{]*;' | grep -oE 'ADCL_[A-Za-z_0-9]+\(' | tr -d '(' | sort -u)
differences=$({ diff <(echo "$declared") <(echo "$exported") || true; } |
  sed -nE 's/^< /declared, but not exported: /p; s/^> /exported, but not declared: /p')
if [[ -n $differences ]]; then
  printf '%s\n%s\n' "$1:" "$differences" >&2
  exit 1
fi
