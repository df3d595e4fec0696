#!/usr/bin/env bash
# make docs: writes the user documentation to build/docs/html and the source documentation to build/docs/internals.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh lint
if ! have doxygen; then
  echo "doxygen was not found (Debian: doxygen): skipped"
  exit 0
fi
rm -rf build/docs
mkdir -p build/docs
doxygen docs/Doxyfile
doxygen docs/Doxyfile.internals
say "read build/docs/html/index.html"
