# shellcheck shell=bash
# What tools/run, tools/test and .ci/run share. To be sourced by bash with `set -euo pipefail`.
# Everything said here goes to stderr; stdout belongs to the simulator and to CTest.

root=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${root%/tools/common.sh}
build=$root/build
readonly root build

# What precompiled headers need of ccache (its manual, "Precompiled headers").
export CCACHE_SLOPPINESS=pch_defines,time_macros

# Neither success (0) nor a code that weft itself returns (1: did not finish, 2: wrong input).
readonly exit_cannot_build=3

say() { printf 'weft: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit "$exit_cannot_build"
}

# packages_of SECTION...: the names that tools/packages.txt lists under [SECTION].
packages_of() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" \
      '/^#/ || NF == 0 { next } /^\[/ { on = ($0 == wanted); next } on { print $1 }' \
      "$root/tools/packages.txt"
  done
}

# not_installed PACKAGE...: those of them that dpkg does not know as installed.
not_installed() {
  # shellcheck disable=SC2016 # the ${...} are dpkg-query's own
  dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk -v wanted="$*" '
      $1 == "installed" { installed[$2] = 1 }
      END {
        count = split(wanted, names, " ")
        for (i = 1; i <= count; ++i) if (!(names[i] in installed)) print names[i]
      }' || true
}

# quietly WHAT COMMAND...: runs the command with its output in a file. Says WHAT once it takes more
# than a moment, and shows the output only if the command fails.
quietly() {
  local what=$1 output timer status=0
  shift
  output=$(mktemp)
  # The sleep outlives its shell by a moment: it must hold neither the caller's pipes nor the lock.
  (sleep 1 >/dev/null 2>&1 9>&- && say "$what") </dev/null >/dev/null 9>&- &
  timer=$!
  "$@" </dev/null >"$output" 2>&1 || status=$?
  kill "$timer" 2>/dev/null || true
  wait "$timer" 2>/dev/null || true
  if ((status != 0)); then
    cat "$output" >&2
  fi
  rm -f -- "$output"
  return "$status"
}

# install_packages SECTION...: installs what is missing of these sections.
install_packages() {
  local -a packages missing as_root=()
  mapfile -t packages < <(packages_of "$@")
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && return
    die "this is not Debian, so nothing is installed for you. Debian 12 calls what is needed:" \
      "${packages[*]}"
  fi
  mapfile -t missing < <(not_installed "${packages[@]}")
  ((${#missing[@]} > 0)) || return 0

  local advice="install these Debian packages and try again: ${missing[*]}"
  command -v apt-get >/dev/null || die "apt-get is not here; $advice"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "neither root nor sudo; $advice"
    as_root=(sudo)
    # Ask for the password now: the output of what follows is kept back.
    sudo -v || die "sudo refuses; $advice"
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300)

  say "installing ${missing[*]}"
  local -a install=("${as_root[@]}" install --no-install-recommends "${missing[@]}")
  if ! "${install[@]}" --simulate >/dev/null 2>&1; then
    update_package_lists "${as_root[@]}"
  elif quietly "apt-get install, some minutes on a bare machine" "${install[@]}"; then
    return 0
  else
    say "apt-get failed (above); trying again with fresh package lists"
    update_package_lists "${as_root[@]}"
  fi
  quietly "apt-get install, some minutes on a bare machine" "${install[@]}" ||
    die "apt-get failed (above); $advice"
}

update_package_lists() {
  quietly "apt-get update" "$@" update -o APT::Update::Error-Mode=any ||
    say "apt-get update failed (above); going on without"
}

# lock_build: from here on nobody else configures or builds in build/, until unlock_build or exit.
lock_build() {
  mkdir -p -- "$build"
  exec 9>"$build/.lock"
  flock --nonblock 9 || {
    say "waiting for another build in $build"
    flock 9
  }
}
unlock_build() { exec 9>&-; }

# configure: makes build/ a release build of this very directory, unless it is one.
configure() {
  local cache=$build/CMakeCache.txt
  if [[ -f $cache && -f $build/build.ninja ]] &&
    grep -Fqx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
    grep -Fqx "CMAKE_BUILD_TYPE:STRING=Release" "$cache"; then
    return 0
  fi
  local -a options=(--preset release --fresh)
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  (cd -- "$root" && quietly "configuring in $build" cmake "${options[@]}") ||
    die "CMake cannot configure (above)"
}

# sources_digest: of all that `weft` is built from.
sources_digest() {
  (cd -- "$root" &&
    find CMakeLists.txt CMakePresets.json simcore topologies protocols collectives scenarios tools \
      -name node_modules -prune -o -type f \( -name '*.cpp' -o -name '*.hpp' -o -name 'CMake*' -o -name '*.cmake' \
      -o -path '*/dist/*' -o -path '*/catalogue/*' \) -print0 | LC_ALL=C sort --zero-terminated | xargs --null sha256sum | sha256sum)
}

# note_sources: what build/weft has just been built from.
note_sources() {
  [[ $build/.sources -nt $build/weft ]] || sources_digest >"$build/.sources"
}

# is_built_elsewhere: whether build/weft was made from these very sources when the checkout lay, or was copied from,
# elsewhere. Then there is nothing to build, although CMake would begin anew.
is_built_elsewhere() {
  [[ -x $build/weft && $build/.sources -nt $build/weft && -f $build/CMakeCache.txt ]] &&
    ! grep -Fqx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" &&
    [[ $(sources_digest) == "$(<"$build/.sources")" ]]
}

# build_targets TARGET...: brings them up to date; says nothing if that is quick.
build_targets() {
  quietly "building in $build, some minutes the first time" ninja -C "$build" "$@" ||
    die "the build failed (above)"
}
