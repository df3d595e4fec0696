#!/usr/bin/env bash
# tools/wheel.sh [--built] [PRESET ...]: builds the wheel adcl-mpi with libraries for the MPI libraries of these presets
# (default: openmpi, openmpi5, mpich and mpi-abi). Writes build/dist/adcl_mpi-*.whl, checks it with auditwheel, and
# prints its size. --built uses the libraries in build/PRESET/wheel as they are. DRAFT=1 compiles without optimization,
# to check the wheel in less time.
#
# The library for MPICH 4 also runs with MPICH 5 and Intel MPI 2021, which have the same ABI.
set -euo pipefail
source "$(dirname "$0")/common.sh"

largest_mb=15
tools=.venvs/wheel/bin
built=
if [[ ${1-} == --built ]]; then
  built=yes
  shift
fi
presets=("$@")
if ((${#presets[@]} == 0)); then presets=(openmpi openmpi5 mpich mpi-abi); fi
optimization="-O2 -g1 -DNDEBUG"
if [[ -n ${DRAFT:-} ]]; then
  optimization="-O0 -g0 -DNDEBUG"
  # Later builds then configure again, with optimization.
  [[ -n $built ]] || trap 'for preset in "${presets[@]}"; do rm -f "build/$preset/CMakeCache.txt"; done' EXIT
fi

# build_libraries <preset>
build_libraries() {
  local preset=$1 also=""
  case $preset in
    openmpi) tools/setup.sh compile ;;
    mpich) tools/setup.sh test ;;
    openmpi5 | impi) tools/setup.sh "$preset" ;;
    mpich5 | mpi-abi) tools/setup.sh mpich5 ;;
    *) fail "there is no wheel with preset '$preset'; known are openmpi, openmpi5, mpich, mpich5, mpi-abi and impi" ;;
  esac
  if [[ $preset == mpich ]]; then also="MPICH Version: 5|Intel(R) MPI Library 2021"; fi
  configure "$preset"
  if ! grep -qxF "ADCL_MPI_ALSO:STRING=$also" "build/$preset/CMakeCache.txt" ||
    ! grep -qxF "CMAKE_CXX_FLAGS_RELWITHDEBINFO:STRING=$optimization" "build/$preset/CMakeCache.txt"; then
    cmake "build/$preset" -DADCL_MPI_ALSO="$also" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$optimization" \
      >"build/$preset/configure.log"
  fi
  build "$preset" adcl_wheel
}

if [[ -z $built ]]; then
  tools/setup.sh wheel_tools
  for preset in "${presets[@]}"; do build_libraries "$preset"; done
fi
folders=
for preset in "${presets[@]}"; do
  [[ -f build/$preset/wheel/libadcl.so ]] || fail "build/$preset/wheel has no libadcl.so; run tools/wheel.sh $preset"
  # The process has loaded its MPI library, which the dynamic loader finds by its name. MPICH's is libmpi.so.12, except
  # in Debian.
  for library in "build/$preset/wheel"/lib*.so; do
    "$tools/patchelf" --remove-rpath --replace-needed libmpich.so.12 libmpi.so.12 "$library"
  done
  folders+="${folders:+;}$root/build/$preset/wheel"
done

say "building the wheel"
rm -rf build/dist build/wheel
mkdir -p build/dist
python3 -m pip --python "$tools/python" wheel -q --no-deps --no-build-isolation -w build/wheel \
  -C cmake.define.ADCL_WHEEL_FOLDERS="$folders" -C build-dir=build/wheel/cmake .
PATH=$root/$tools:$PATH "$tools/auditwheel" repair -w build/dist --exclude 'libmpi*.so*' build/wheel/adcl_mpi-*.whl
wheel=$(echo build/dist/adcl_mpi-*.whl)
"$tools/auditwheel" show "$wheel"
size=$(stat -c %s "$wheel")
say "$wheel has $((size / 1000)) kB"
[[ -n ${DRAFT:-} ]] || ((size <= largest_mb * 1000000)) || fail "$wheel has $size bytes; the limit is $largest_mb MB"
