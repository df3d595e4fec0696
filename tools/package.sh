#!/usr/bin/env bash
# make package: builds the Debian packages, unpacks them into build/package/root, and builds and runs programs with them.
#
# Usage: package.sh [--from-builds | --use-only]. Needs the packages of Build-Depends in packaging/debian/control; installs
# them as root. Leaves the packages in build/package. To check the packaging in less time:
#   DRAFT=1        compile without optimization
#   --from-builds  package the builds in build/openmpi and build/mpich instead of compiling
#   --use-only     run programs with the packages in build/package
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh package
folder=$root/build/package
version=$(sed -nE 's/^#define ADCL_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/ADCL.h | paste -sd .)
source=$folder/adcl-$version
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH) || fail "dpkg-architecture was not found (Debian: dpkg-dev)"
have dh || fail "debhelper was not found (Debian: debhelper)"

build_packages() {
  local flags=()
  rm -rf "$folder"
  mkdir -p "$source"
  git ls-files --cached --others --exclude-standard | while read -r file; do [[ ! -f $file ]] || echo "$file"; done |
    tar -cf - -T - | tar -xf - -C "$source"
  cp -R "$source/packaging/debian" "$source/debian"
  if [[ -n ${DRAFT:-} ]]; then flags=(DEB_CXXFLAGS_APPEND="-O0 -g0" DEB_CFLAGS_APPEND="-O0 -g0"); fi
  say "building the packages; the output is in build/package/build.log"
  if [[ ${1:-} == --from-builds ]]; then
    # debhelper then skips the build of these packages.
    sed -n 's/^Package: //p' "$source/debian/control" >"$source/debian/debhelper-build-stamp"
    (cd "$source" && DEB_BUILD_OPTIONS=noautodbgsym debian/rules binary COMPRESSION=gzip \
      BUILD_openmpi="$root/build/openmpi" BUILD_mpich="$root/build/mpich") >"$folder/build.log" 2>&1 || {
      tail -n 40 "$folder/build.log" >&2
      fail "debian/rules binary failed"
    }
    return
  fi
  (cd "$source" && env CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}" "${flags[@]}" \
    DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -b -us -uc) >"$folder/build.log" 2>&1 || {
    tail -n 40 "$folder/build.log" >&2
    fail "dpkg-buildpackage failed"
  }
}

# Fails if a package lacks one of its files.
check_contents() {
  local library=$1 tree=$folder/root/usr/lib/$triplet/adcl/$1 file
  for file in lib/libadcl.so.1 lib/libadcl.so include/ADCL.h include/adcl.hpp include/adcl/halo.hpp \
    bin/adcl-bench lib/libadcl-interpose.so lib/cmake/adcl/adclConfig.cmake lib/pkgconfig/adcl.pc \
    share/man/man1/adcl-tune.1 share/bash-completion/completions/adcl; do
    [[ -e $tree/$file ]] || fail "the packages for $library lack $file"
  done
  [[ -e $folder/root/usr/lib/$triplet/pkgconfig/adcl-$library.pc ]] || fail "adcl-$library.pc is missing"
  ! ldd "$tree"/bin/adcl-bench | grep 'not found' || fail "adcl-bench of $library does not find its libraries"
}

# Builds a program with CMake and with pkg-config, and runs both on two ranks.
use_packages() {
  local library=$1 tree=$folder/root/usr/lib/$triplet/adcl/$1 work=$folder/use-$1 program
  local launch=("mpiexec.$library" -n 2)
  if [[ $library == openmpi ]]; then launch+=(--oversubscribe); fi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  cmake -S tests/consumer/header -B "$work" -DCMAKE_PREFIX_PATH="$tree" -DMPI_CXX_COMPILER="mpicxx.$library" >"$work.log"
  cmake --build "$work" >>"$work.log"
  # shellcheck disable=SC2046
  PKG_CONFIG_PATH=$folder/root/usr/lib/$triplet/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder/root \
    sh -c "mpicc.$library tests/consumer/c/ring.c \$(pkg-config --cflags --libs adcl-$library) -o $work/ring"
  readelf -d "$work/ring" | grep -q "RUNPATH.*/usr/lib/$triplet/adcl/$library/lib" ||
    fail "pkg-config adcl-$library does not set the path of the library"
  for program in heat ring; do
    LD_LIBRARY_PATH=$tree/lib "${launch[@]}" "$work/$program" >>"$work.log" 2>&1 ||
      fail "$program failed with the packages for $library; its output is in ${work#"$root/"}.log"
    say "$program runs with the packages for $library"
  done
}

if [[ ${1:-} != --use-only ]]; then build_packages "$@"; fi
rm -rf "$folder/root"
for package in "$folder"/*.deb; do
  [[ $package == *dbgsym* ]] || dpkg -x "$package" "$folder/root"
done
for library in openmpi mpich; do
  check_contents "$library"
  use_packages "$library"
done
(cd "$folder" && du -h ./*.deb)
