#!/usr/bin/env bash
# make docs: writes the site to build/site and the documentation of the sources to build/site/internals. Warnings are
# errors. tests/python/test_site.py shows the pages in a browser.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh docs
if ! have doxygen; then
  echo "doxygen was not found (Debian: doxygen): skipped"
  exit 0
fi
rm -rf build/docs build/site
mkdir -p build/docs
doxygen docs/Doxyfile.interface
doxygen docs/Doxyfile.internals
.venvs/site/bin/sphinx-build -q -W --keep-going -j auto -c docs -d build/docs/doctrees . build/site
mv build/docs/internals build/site/internals
say "read build/site/docs/index.html"
