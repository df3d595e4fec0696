#!/usr/bin/env bash
# Releases a version. Usage: tools/release.sh check | set VERSION | archive | tag
#
#   check         the version in include/ADCL.h equals all its copies, and CHANGELOG.md describes it
#   set VERSION   write a new version to include/ADCL.h and all copies, except CHANGELOG.md
#   archive       check, and write build/release/adcl-VERSION.tar.gz of the last commit, with its checksum
#   tag           check that everything is committed, archive, and create the tag vVERSION
set -euo pipefail
source "$(dirname "$0")/common.sh"

current() { sed -nE 's/^#define ADCL_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/ADCL.h | paste -sd .; }
easyconfigs() { find packaging/easybuild -name 'ADCL-*.eb' | sort; }

# copies: prints "FILE VERSION" for each copy of the version.
copies() {
  local file
  echo "python/adcl/_version.py $(sed -nE 's/^__version__ = "(.*)"$/\1/p' python/adcl/_version.py)"
  echo "packaging/debian/changelog $(sed -nE '1s/^adcl \((.*)-[0-9]+\).*$/\1/p' packaging/debian/changelog)"
  echo "packaging/spack/package.py $(sed -nE 's/^    version\("([0-9.]+)", tag="v\1"\)$/\1/p' packaging/spack/package.py | head -n 1)"
  echo "docs/scale.md $(sed -nE 's|.*adcl/scale@([0-9.]+)`.*|\1|p' docs/scale.md | head -n 1)"
  for file in $(easyconfigs); do
    echo "$file $(sed -nE "s/^version = '(.*)'$/\1/p" "$file")"
    echo "$file $(sed -nE 's/^ADCL-([0-9.]+)-.*$/\1/p' <<<"${file##*/}")"
  done
}

check_versions() {
  local version file copy wrong=()
  version=$(current)
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "include/ADCL.h has no version of three numbers, but '$version'"
  while read -r file copy; do
    [[ $copy == "$version" ]] || wrong+=("$file has ${copy:-no version}")
  done < <(copies)
  grep -qx "## $version" CHANGELOG.md || wrong+=("CHANGELOG.md has no section '## $version'")
  ((${#wrong[@]} == 0)) || fail "include/ADCL.h has version $version, but $(printf '%s; ' "${wrong[@]}")run tools/release.sh set"
  say "version $version everywhere"
}

set_version() {
  local version=$1 old file
  [[ $version =~ ^([0-9]+)\.([0-9]+)\.([0-9]+)$ ]] || fail "'$version' is not a version; pass three numbers, such as 2.1.0"
  old=$(current)
  sed -i -E "s/^(#define ADCL_VERSION_MAJOR) .*/\1 ${BASH_REMATCH[1]}/; s/^(#define ADCL_VERSION_MINOR) .*/\1 ${BASH_REMATCH[2]}/
    s/^(#define ADCL_VERSION_PATCH) .*/\1 ${BASH_REMATCH[3]}/" include/ADCL.h
  sed -i -E "s/^__version__ = .*/__version__ = \"$version\"/" python/adcl/_version.py
  sed -i -E "s/^    version\(\"${old//./\\.}\", tag=\"v.*/    version(\"$version\", tag=\"v$version\")/" packaging/spack/package.py
  sed -i -E "s/@v?${old//./\\.}\`/@$version\`/; s/(adcl.yml)@$version/\1@v$version/" docs/scale.md
  if ! grep -q "^adcl ($version-" packaging/debian/changelog; then
    { printf 'adcl (%s-1) unstable; urgency=medium\n\n  * New version; see CHANGELOG.md.\n\n -- %s  %s\n\n' "$version" \
      "$(sed -nE 's/^Maintainer: //p' packaging/debian/control)" "$(date -uR)"; cat packaging/debian/changelog; } >build/changelog
    mv build/changelog packaging/debian/changelog
  fi
  for file in $(easyconfigs); do
    sed -i -E "s/^version = .*/version = '$version'/; s/ADCL-${old//./\\.}-/ADCL-$version-/" "$file"
    [[ $file == *"/ADCL-$version-"* ]] || mv "$file" "${file/ADCL-$old-/ADCL-$version-}"
  done
  say "version $version; describe it in CHANGELOG.md, and run tools/man_pages.py"
}

archive() {
  local version name
  version=$(current)
  name=adcl-$version
  mkdir -p build/release
  git archive --format=tar --prefix="$name/" HEAD | gzip -n9 >"build/release/$name.tar.gz"
  (cd build/release && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
  say "build/release/$name.tar.gz: $(cut -c 1-16 "build/release/$name.tar.gz.sha256")…"
}

mkdir -p build
case ${1:-} in
  check) check_versions ;;
  set) set_version "${2:?"pass the new version"}" ;;
  archive) check_versions && archive ;;
  tag)
    check_versions
    [[ -z $(git status --porcelain) ]] || fail "there are uncommitted changes; commit them first"
    ! git rev-parse -q --verify "refs/tags/v$(current)" >/dev/null || fail "the tag v$(current) exists; set a new version"
    archive
    git tag -a "v$(current)" -m "ADCL $(current)"
    say "created the tag v$(current); push it with: git push origin v$(current)"
    ;;
  *) fail "unknown command '${1:-}'; pass check, set VERSION, archive or tag" ;;
esac
