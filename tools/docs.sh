#!/usr/bin/env bash
# make docs: the documentation of the C interface and of the sources, in build/docs/html; a warning is an error.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh lint
if ! have doxygen; then
  echo "doxygen was not found (Debian: doxygen): left out"
  exit 0
fi
mkdir -p build/docs
doxygen docs/Doxyfile
