# shellcheck shell=bash disable=SC2034  # the scripts that source this use its variables
# Sourced by the scripts beside it: gets the packages, the configured build tree and the program
# ready. Needs nothing but what a minimal Debian 12 has (bash, coreutils, findutils, util-linux).
#
# FAULTLINE_BUILD_DIR   where to build (default: build/release in the checkout, or the user's cache
#                       directory when the checkout cannot be written)
# FAULTLINE_CMAKE_ARGS  more arguments for cmake, separated by blanks, used when it configures
# CI                    when set, compiler warnings are errors

FAULTLINE_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
FAULTLINE_RUN_PACKAGES=(g++ cmake ninja-build libboost-dev libboost-program-options-dev
  nlohmann-json3-dev libsqlite3-dev)
FAULTLINE_TEST_PACKAGES=(catch2 clang-format clang-tidy python3 python3-jsonschema
  gnuplot-nox)
FAULTLINE_TOOLS=(c++ cmake ninja)

say() { printf 'faultline: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# The engine that needs SimGrid can be left out, and its packages with it.
case " ${FAULTLINE_CMAKE_ARGS-} " in
  *" -DFAULTLINE_SIMGRID=OFF "* | *" -DFAULTLINE_SIMGRID=0 "*) ;;
  *) FAULTLINE_RUN_PACKAGES+=(libsimgrid-dev libexpat1-dev) ;;
esac

# choose_build_dir: sets FAULTLINE_BUILD to an absolute directory that can be written.
choose_build_dir() {
  if [ -n "${FAULTLINE_BUILD_DIR-}" ]; then
    FAULTLINE_BUILD=$FAULTLINE_BUILD_DIR
  elif mkdir -p "$FAULTLINE_ROOT/build/release" 2>/dev/null &&
    [ -w "$FAULTLINE_ROOT/build/release" ]; then
    FAULTLINE_BUILD=$FAULTLINE_ROOT/build/release
  else
    local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache} key
    key=$(printf '%s' "$FAULTLINE_ROOT" | cksum | cut -d' ' -f1)
    FAULTLINE_BUILD=$cache/faultline/release-$key
  fi
  mkdir -p "$FAULTLINE_BUILD" || fail "cannot make the build directory $FAULTLINE_BUILD"
  FAULTLINE_BUILD=$(cd -- "$FAULTLINE_BUILD" && pwd -P) || exit 1
  [ -w "$FAULTLINE_BUILD" ] || fail "cannot write the build directory $FAULTLINE_BUILD"
}

# One at a time: a second script waits here until the first has built. Where the file system has no
# locks (some network file systems), go on without.
lock_build_dir() {
  exec 9>"$FAULTLINE_BUILD/.lock" || fail "cannot write $FAULTLINE_BUILD/.lock"
  command -v flock >/dev/null || return 0
  flock -n 9 && return 0
  say "waiting for another build in $FAULTLINE_BUILD"
  flock 9 || say "this file system has no locks; going on without one"
}

unlock_build_dir() { exec 9>&-; }

# missing_packages NAMES...: prints those that are not installed; nothing on a system without dpkg.
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  local name installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  for name in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $name"$'\n'* ]] || printf '%s\n' "$name"
  done
}

missing_tools() {
  local tool
  for tool in "${FAULTLINE_TOOLS[@]}"; do
    command -v "$tool" >/dev/null || printf '%s\n' "$tool"
  done
}

# as_root COMMAND...: runs it as root; fails when this user cannot become root. sudo may ask for a
# password only where somebody can see the question.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ] && [ -t 2 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

can_be_root() {
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null || return 1
  { [ -t 0 ] && [ -t 2 ]; } || sudo -n true 2>/dev/null
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" \
    >>"$FAULTLINE_BUILD/apt.log" 2>&1 </dev/null 9>&-
}

apt_lists_are_empty() {
  ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null
}

# apt_install NAMES...: false when apt could not. Lists that are missing or too old to name what is
# on the server are fetched.
apt_install() {
  : >"$FAULTLINE_BUILD/apt.log"
  if ! apt_lists_are_empty && apt_get install --no-install-recommends "$@"; then
    return 0
  fi
  apt_get update && apt_get install --no-install-recommends "$@"
}

# ensure_packages NAMES...: installs what is missing. Without root, goes on when the tools are
# there: the libraries may lie somewhere that cmake is told of (CMAKE_PREFIX_PATH).
ensure_packages() {
  FAULTLINE_MISSING=$(missing_packages "$@" | tr '\n' ' ')
  FAULTLINE_MISSING=${FAULTLINE_MISSING% }
  local tools
  tools=$(missing_tools | tr '\n' ' ')
  [ -n "$FAULTLINE_MISSING$tools" ] || return 0
  if [ -n "$FAULTLINE_MISSING" ] && command -v apt-get >/dev/null && can_be_root; then
    say "installing with apt: $FAULTLINE_MISSING"
    # shellcheck disable=SC2086  # package names have no blanks
    if apt_install $FAULTLINE_MISSING; then
      FAULTLINE_MISSING=
      rm -f "$FAULTLINE_BUILD/build.ninja" # cmake looks for the libraries again
      return 0
    fi
    tail -n 20 "$FAULTLINE_BUILD/apt.log" >&2
    fail "apt could not install: $FAULTLINE_MISSING (whole log: $FAULTLINE_BUILD/apt.log)"
  fi
  [ -z "$tools" ] || explain_missing "$tools"
}

# explain_missing WHAT: nothing can be installed from here; says what somebody else must do.
explain_missing() {
  say "missing: $1"
  say "installing needs apt and root, directly or through sudo; here there is neither."
  say "Ask for these Debian 12 packages: ${FAULTLINE_MISSING:-$*}"
  fail "or see \"Login nodes\" in README.md for building with libraries in a directory of your own."
}

# The value of a variable in CMakeCache.txt, empty when there is none.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$FAULTLINE_BUILD/CMakeCache.txt" 2>/dev/null; }

# configured: true when the build tree is this checkout's, and asks for what we want.
configured() {
  [ -f "$FAULTLINE_BUILD/build.ninja" ] || return 1
  [ "$(cached CMAKE_HOME_DIRECTORY)" = "$FAULTLINE_ROOT" ] || return 1
  [ -z "${CI-}" ] || [ "$(cached FAULTLINE_WERROR)" = ON ]
}

# configure: runs cmake when the build tree needs it.
configure() {
  configured && return 0
  local werror=OFF fresh=() log=$FAULTLINE_BUILD/configure.log
  [ -z "${CI-}" ] || werror=ON
  # A build tree that was copied or moved here with its checkout.
  [ "$(cached CMAKE_HOME_DIRECTORY)" = "$FAULTLINE_ROOT" ] || fresh=(--fresh)
  # shellcheck disable=SC2086  # FAULTLINE_CMAKE_ARGS is a list
  if ! cmake -S "$FAULTLINE_ROOT" -B "$FAULTLINE_BUILD" -G Ninja "${fresh[@]}" \
    -DCMAKE_BUILD_TYPE=Release -DFAULTLINE_WERROR="$werror" ${FAULTLINE_CMAKE_ARGS-} \
    >"$log" 2>&1 9>&-; then
    rm -f "$FAULTLINE_BUILD/build.ninja"
    cat "$log" >&2
    [ -z "${FAULTLINE_MISSING-}" ] || explain_missing "$FAULTLINE_MISSING"
    fail "cmake could not configure $FAULTLINE_BUILD"
  fi
}

# show_build: passes on what compilers and cmake complain of, and counts the steps on a terminal;
# silent when there is nothing to do.
show_build() {
  local line steps=0
  while IFS= read -r line; do
    case $line in
      '[0/'* | *'] Re-running CMake...' | 'ninja: Entering directory'* | 'ninja: no work to do.' | \
        '-- '* | '') ;;
      '['[0-9]*/[0-9]*'] '*)
        [ "$steps" = 0 ] && say "building in $FAULTLINE_BUILD"
        steps=1
        [ -t 2 ] && printf '\r%s ' "${line%%]*}]" >&2
        ;;
      *) printf '%s\n' "$line" >&2 ;;
    esac
  done
  if [ "$steps" = 1 ] && [ -t 2 ]; then printf '\r%20s\r' '' >&2; fi
}

try_build() {
  NINJA_STATUS='[%f/%t] ' ninja -C "$FAULTLINE_BUILD" -j "$(nproc)" "$1" 2>&1 9>&- | show_build
}

# build TARGET PACKAGES...: a build tree whose packages have gone since it was configured gets a
# second chance.
build() {
  local target=$1
  shift
  try_build "$target" && return 0
  if [ -n "$(missing_packages "$@")" ]; then
    ensure_packages "$@"
    configure
    try_build "$target" && return 0
  fi
  fail "the build failed"
}

# The program is up to date when nothing it is built from has changed since the last build began.
# Cheaper than asking ninja, and needs neither the lock nor a build tree that can be written.
up_to_date() {
  local stamp=$FAULTLINE_BUILD/.built
  [ -x "$FAULTLINE_BUILD/faultline" ] && [ -f "$stamp" ] || return 1
  [ "$(<"$stamp")" = "$FAULTLINE_ROOT" ] || return 1
  [ -z "$(cd -- "$FAULTLINE_ROOT" && find sim protocols workloads analysis cmake CMakeLists.txt \
    -newer "$stamp" -print -quit 2>&1)" ]
}

# build_program PACKAGES...: afterwards FAULTLINE_PROGRAM is there and up to date.
build_program() {
  FAULTLINE_PROGRAM=$FAULTLINE_BUILD/faultline
  up_to_date && return 0
  lock_build_dir
  if ! up_to_date; then
    printf '%s\n' "$FAULTLINE_ROOT" >"$FAULTLINE_BUILD/.building"
    if ! configured || [ -n "$(missing_tools)" ]; then ensure_packages "$@"; fi
    configure
    build faultline "$@"
    mv -f "$FAULTLINE_BUILD/.building" "$FAULTLINE_BUILD/.built"
  fi
  unlock_build_dir
}
