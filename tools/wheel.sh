#!/usr/bin/env bash
# tools/wheel.sh [PRESET ...]: builds the wheel adcl-mpi with libraries for the MPI libraries of these presets (default:
# openmpi, openmpi5 and mpich). Writes build/dist/adcl_mpi-*.whl, checks it with auditwheel, and prints size and tag.
#
# The library for MPICH 4 also runs with MPICH 5 and Intel MPI 2021, which have the same ABI.
set -euo pipefail
source "$(dirname "$0")/common.sh"

largest_mb=15
presets=("$@")
((${#presets[@]})) || presets=(openmpi openmpi5 mpich)

tools/setup.sh wheel_tools
tools=.venvs/wheel/bin
folders=()
for preset in "${presets[@]}"; do
  case $preset in
    openmpi) tools/setup.sh compile ;;
    mpich) tools/setup.sh test ;;
    openmpi5 | impi) tools/setup.sh "$preset" ;;
    mpich5 | mpi-abi) tools/setup.sh mpich5 ;;
    *) fail "there is no wheel with preset '$preset'; known are openmpi, openmpi5, mpich, mpich5, mpi-abi and impi" ;;
  esac
  also=
  if [[ $preset == mpich ]]; then also="MPICH Version: 5|Intel(R) MPI Library 2021"; fi
  configure "$preset"
  if ! grep -qF "ADCL_MPI_ALSO:STRING=$also" "build/$preset/CMakeCache.txt"; then
    cmake "build/$preset" -DADCL_MPI_ALSO="$also" >"build/$preset/configure.log"
  fi
  build "$preset" adcl_wheel
  folder=build/$preset/wheel
  for library in "$folder"/lib*.so; do
    # The process has loaded its MPI library; the engine of the interposer finds it by name.
    if [[ $preset == mpich ]]; then
      "$tools/patchelf" --replace-needed libmpich.so.12 libmpi.so.12 "$library"
    fi
    "$tools/patchelf" --remove-rpath "$library"
  done
  folders+=("$root/$folder")
done

say "building the wheel"
rm -rf build/dist build/wheel
mkdir -p build/dist build/wheel
list=$(IFS=";"; echo "${folders[*]}")
"$venv/bin/python" -m pip --python "$tools/python" wheel -q --no-deps --no-build-isolation -w build/wheel \
  -C cmake.define.ADCL_WHEEL_FOLDERS="$list" -C build-dir=build/wheel/cmake .
PATH=$root/$tools:$PATH "$tools/auditwheel" repair --exclude 'libmpi*.so*' --exclude 'libopen-*.so*' -w build/dist build/wheel/adcl_mpi-*.whl
wheel=$(echo build/dist/adcl_mpi-*.whl)
"$tools/auditwheel" show "$wheel"
size=$(stat -c %s "$wheel")
say "$wheel: $((size / 1000)) kB"
((size <= largest_mb * 1000000)) || fail "$wheel has $size bytes; the limit is $largest_mb MB"
