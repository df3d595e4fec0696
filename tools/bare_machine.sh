#!/usr/bin/env bash
# Runs a command in a fresh clone of this repository on a bare Debian, which has only the packages that README requires.
# Usage: tools/bare_machine.sh root|user COMMAND, for example: tools/bare_machine.sh user 'make demo'
#
# Requires root and debootstrap. Creates the base system once in build/bare/base, in one to five minutes. Each call works in
# a copy, build/bare/USER, which remains for inspection until the next call. Namespaces isolate the processes, mounts and
# host name of the command; it uses this machine's network, for the package registries.
set -euo pipefail
source "$(dirname "$0")/common.sh"

who=${1-} command=${2-}
[[ ($who == root || $who == user) && -n $command && $# -eq 2 ]] || fail "usage: tools/bare_machine.sh root|user COMMAND"
((EUID == 0)) || fail "this script requires root, for chroot and namespaces"
have debootstrap || fail "debootstrap was not found; install it (Debian: debootstrap)"

# The packages in README: a compiler, CMake, make, Python. git is needed for the clone; usual installations have the others.
packages=ca-certificates,g++,gcc,cmake,make,git,python3,python3-venv,iproute2,procps
base=$root/build/bare/base
machine=$root/build/bare/$who

# Configuration files of this machine for access to package registries.
settings=(/etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/pip.conf /etc/hosts /etc/resolv.conf
  /etc/ssl/certs /usr/local/share/ca-certificates)

make_base() {
  local mirror
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  [[ -n $mirror ]] || fail "apt-get has no package registry"
  say "creating a bare Debian in build/bare/base"
  rm -rf --one-file-system "$base"
  mkdir -p "$base"
  # shellcheck disable=SC1091
  (. /etc/os-release && debootstrap --variant=minbase --include="$packages" "$VERSION_CODENAME" "$base" "$mirror") \
    >build/bare/debootstrap.log 2>&1 || {
    tail -n 5 build/bare/debootstrap.log >&2
    fail "debootstrap failed; its output is in build/bare/debootstrap.log"
  }
  local file
  for file in "${settings[@]}"; do
    if [[ -e $file ]]; then
      rm -rf "${base:?}$file"
      mkdir -p "$base${file%/*}"
      cp -aL "$file" "$base$file"
    fi
  done
  chroot "$base" useradd --create-home user
  touch "$base/complete"
}

# enter: mounts the file systems that the system needs, and runs the command; called in new namespaces.
enter() {
  mount --make-rprivate /
  mount --bind "$machine" "$machine"
  mount -t proc proc "$machine/proc"
  mount --rbind /sys "$machine/sys"
  mount -t tmpfs -o mode=755 tmpfs "$machine/dev"
  local device
  for device in null zero full random urandom tty; do
    touch "$machine/dev/$device"
    mount --bind "/dev/$device" "$machine/dev/$device"
  done
  mkdir "$machine/dev/shm" "$machine/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$machine/dev/pts"
  ln -s pts/ptmx "$machine/dev/ptmx"
  ln -s /proc/self/fd "$machine/dev/fd"
  local stream
  for stream in stdin:0 stdout:1 stderr:2; do ln -s "fd/${stream#*:}" "$machine/dev/${stream%:*}"; done
  hostname bare
  local home=/root
  if [[ $who == user ]]; then home=/home/user; fi
  # Keep only environment variables for network access.
  local kept=()
  mapfile -t kept < <(env | grep -iE '^(https?_proxy|no_proxy|ssl_cert_(file|dir)|(requests|curl)_ca_bundle|pip_(cert|index_url|default_timeout)|git_ssl_cainfo)=')
  # shellcheck disable=SC2016
  exec env -i "${kept[@]}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=C.UTF-8 \
    TERM="${TERM:-dumb}" chroot --userspec="$who:$who" "$machine" bash -c 'cd /home/user/adcl && eval "$1"' bare "$command"
}

if [[ ${ADCL_BARE_INSIDE-} == 1 ]]; then enter; fi
[[ -e $base/complete ]] || make_base
rm -rf --one-file-system "$machine"
cp -a "$base" "$machine"
git clone -q --no-hardlinks "$root" "$machine/home/user/adcl"
chroot "$machine" chown -R "$who:$who" /home/user/adcl
export ADCL_BARE_INSIDE=1
exec unshare --mount --uts --ipc --pid --fork "$0" "$who" "$command"
