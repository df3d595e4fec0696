#!/usr/bin/env bash
# Distributes an installed tree to the packages of an MPI library: split.sh LIBRARY TREE, in the source folder.
set -euo pipefail
library=$1 tree=$2
from=debian/tmp/$tree
runtime=debian/libadcl-${library}1/$tree
development=debian/libadcl-$library-dev/$tree
mkdir -p "$runtime/lib" "$development/lib" "$development/share" "$development/../../pkgconfig"

# take <target> <path>...: moves paths of the tree.
take() {
  local target=$1 path
  shift
  for path in "$@"; do
    mkdir -p "$target/$(dirname "$path")"
    mv "$from/$path" "$target/$path"
  done
}
cd_from() { (cd "$from" && find "$@" | sort); }
mapfile -t libraries < <(cd_from lib -maxdepth 1 \( -name '*.so.*' -o -name 'libadcl-*.so' \))
take "$runtime" "${libraries[@]}" bin
take "$development" include
mapfile -t rest < <(cd_from . -mindepth 1 ! -type d)
take "$development" "${rest[@]}"

# A pkg-config package for each library in the folder that pkg-config searches. Programs get the path of the library.
# shellcheck disable=SC2016  # pkg-config expands ${libdir}
for file in "$development"/lib/pkgconfig/*.pc; do
  sed -e "s|^prefix=.*|prefix=/$tree|" -e "s|^Requires: adcl |Requires: adcl-$library |" \
    -e 's|^Libs: -L\${libdir}|& -Wl,-rpath,${libdir}|' "$file" \
    >"$development/../../pkgconfig/$(basename "$file" .pc)-$library.pc"
done
