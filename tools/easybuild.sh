#!/usr/bin/env bash
# Builds ADCL with EasyBuild and the system's toolchain, and runs a program with its module.
#
# Needs Lmod (Debian: lmod). Everything is below build/easybuild. DRAFT=1 compiles without optimization, to check the
# easyconfig in less time.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh easybuild
folder=$root/build/easybuild
version=$(sed -nE 's/^#define ADCL_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/ADCL.h | paste -sd .)
lmod=$(lmod_init)
[[ -n $lmod ]] || fail "Lmod was not found (Debian: lmod)"

rm -rf "$folder"
mkdir -p "$folder/sources"
git ls-files --cached --others --exclude-standard | while read -r file; do [[ ! -f $file ]] || echo "$file"; done |
  tar -czf "$folder/sources/adcl-$version.tar.gz" --transform "s|^|adcl-$version/|" -T -
flags=()
if [[ -n ${DRAFT:-} ]]; then
  export CFLAGS="-O0" CXXFLAGS="-O0"
  flags=(--try-amend=build_type=Plain) # without the flags of Release
fi
if ((EUID == 0)); then flags+=(--allow-use-as-root-and-accept-consequences); fi
say "building with EasyBuild; the output is in build/easybuild/eb.log"
set +u
# shellcheck disable=SC1090
source "$lmod"
set -u
export EB_PYTHON=$root/.venvs/easybuild/bin/python
"$root/.venvs/easybuild/bin/eb" "packaging/easybuild/ADCL-$version-system.eb" "${flags[@]}" --modules-tool=Lmod \
  --module-syntax=Lua --prefix="$folder/eb" --sourcepath="$folder/sources" --buildpath="$folder/build" \
  --parallel="$jobs" --robot-paths="$root/packaging/easybuild" --tmpdir="$folder/tmp" >"$folder/eb.log" 2>&1 || {
  tail -n 40 "$folder/eb.log" >&2
  fail "eb could not build packaging/easybuild/ADCL-$version-system.eb"
}

set +u
module use "$folder/eb/modules/all"
module load "ADCL/$version-system"
set -u
[[ -n ${EBROOTADCL:-} ]] || fail "the module ADCL/$version-system does not set EBROOTADCL"
wrapper=$(command -v mpicc)
# shellcheck disable=SC2046
"$wrapper" tests/consumer/c/ring.c $(pkg-config --cflags --libs adcl) -o "$folder/ring"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpiexec -n 2 "$folder/ring"
ldd "$folder/ring" | grep -q "$EBROOTADCL/lib/libadcl.so.1" || fail "ring loads another libadcl than that of the module"
say "a program runs with the module ADCL/$version-system"
