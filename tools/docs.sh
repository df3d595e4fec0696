#!/usr/bin/env bash
# make docs: the pages for users in build/docs/html, the sources in build/docs/internals; a warning is an error.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh lint
if ! have doxygen; then
  echo "doxygen was not found (Debian: doxygen): left out"
  exit 0
fi
rm -rf build/docs
mkdir -p build/docs
doxygen docs/Doxyfile
doxygen docs/Doxyfile.internals
say "read build/docs/html/index.html"
