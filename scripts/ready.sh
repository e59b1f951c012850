# SPDX-License-Identifier: Apache-2.0

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
  libboost-iostreams-dev nlohmann-json3-dev libsqlite3-dev)
FAULTLINE_TEST_PACKAGES=(catch2 clang-format python3 python3-jsonschema)
FAULTLINE_TOOLS=(c++ cmake ninja)

FAULTLINE_PACE_S=10 # between two lines of progress, where nobody watches a terminal

say() { printf 'faultline: %s\n' "$*" >&2; }

# progress WORDS: on a terminal in place of the last ones, elsewhere now and then, a line each.
progress() {
  if [ -t 2 ]; then
    printf '\rfaultline: %-60s' "$*" >&2
  elif [ "$SECONDS" -ge "${FAULTLINE_NEXT_S:-0}" ]; then
    FAULTLINE_NEXT_S=$((SECONDS + FAULTLINE_PACE_S))
    say "$*"
  fi
}

end_progress() { if [ -t 2 ]; then printf '\r%72s\r' '' >&2; fi; }

fail() {
  say "$*"
  exit 1
}

# The engine that needs SimGrid can be left out, and its packages with it.
case " ${FAULTLINE_CMAKE_ARGS-} " in
  *" -DFAULTLINE_SIMGRID=OFF "* | *" -DFAULTLINE_SIMGRID=0 "*) ;;
  *) FAULTLINE_RUN_PACKAGES+=(libsimgrid-dev libexpat1-dev) ;;
esac

# Draws the figures of report and reproduce. Several packages have one.
command -v gnuplot >/dev/null || FAULTLINE_RUN_PACKAGES+=(gnuplot-nox)

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

# show_apt: how far apt is.
show_apt() {
  local line new=0 got=0 unpacked=0 ready=0
  while IFS= read -r line; do
    case $line in
      *' newly installed, '*)
        new=${line%% newly installed*}
        new=${new##* }
        ;;
      'Get:'*) progress "apt: download $((++got))" ;;
      'Unpacking '*) progress "apt: unpacking package $((++unpacked)) of $new" ;;
      'Setting up '*) progress "apt: setting up package $((++ready)) of $new" ;;
    esac
  done
  end_progress
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y \
    -o DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null 9>&- |
    tee -a "$FAULTLINE_BUILD/apt.log" | show_apt
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
      say "installed"
      FAULTLINE_MISSING=
      rm -f "$FAULTLINE_BUILD/build.ninja" # cmake looks for the libraries again
      return 0
    fi
    tail -n 20 "$FAULTLINE_BUILD/apt.log" >&2
    fail "apt could not install: $FAULTLINE_MISSING (whole log: $FAULTLINE_BUILD/apt.log)"
  fi
  [ -z "$tools" ] || explain_missing "$tools"
}

# explain_missing WHAT: nothing can be installed from here; prints what an administrator must do.
explain_missing() {
  say "missing: $1"
  say "installing needs apt and root, directly or through sudo; here there is neither."
  say "Ask for these packages (Debian 12 and 13 name them so): ${FAULTLINE_MISSING:-$*}"
  say "Or build with libraries in a directory of your own:"
  fail "\"Install without root\" in README.md says how."
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
  say "configuring $FAULTLINE_BUILD"
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

# show_build: passes on what compilers and cmake complain of, and counts the steps; silent when
# there is nothing to do.
show_build() {
  local line steps=0
  while IFS= read -r line; do
    case $line in
      '[0/'* | *'] Re-running CMake...' | 'ninja: Entering directory'* | 'ninja: no work to do.' | \
        *'] Asking git for the commit' | '-- '* | '') ;;
      '['[0-9]*/[0-9]*'] '*)
        [ "$steps" = 0 ] && say "building in $FAULTLINE_BUILD"
        steps=1
        line=${line%%]*}
        line=${line#[}
        progress "step ${line%/*} of ${line#*/}"
        ;;
      *) printf '%s\n' "$line" >&2 ;;
    esac
  done
  [ "$steps" = 0 ] || end_progress
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
  [ -z "$(cd -- "$FAULTLINE_ROOT" &&
    find CMakeLists.txt analysis cli cmake protocols sim workloads -newer "$stamp" \
      -print -quit 2>&1)" ]
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

# tests_ahead CTEST ARGS...: how many tests ctest would run, and about how long by their last times;
# one that has none is taken for a second.
tests_ahead() {
  local costs=$FAULTLINE_BUILD/Testing/Temporary/CTestCostData.txt
  [ -f "$costs" ] || costs=/dev/null
  ctest --test-dir "$FAULTLINE_BUILD" -N "$@" 2>/dev/null |
    awk -v costs="$costs" -v cores="$(nproc)" '
      BEGIN {
        while ((getline line < costs) > 0 && line != "---")
          if (match(line, / [0-9]+ [0-9.e+-]+$/)) {
            split(substr(line, RSTART + 1), numbers, " ")
            if (numbers[1] > 0) cost_s[substr(line, 1, RSTART - 1)] = numbers[2]
          }
      }
      /^ *Test +#[0-9]+: / {
        sub(/^ *Test +#[0-9]+: /, "")
        one_s = ($0 in cost_s) ? cost_s[$0] : 1
        sum_s += one_s
        if (one_s > longest_s) longest_s = one_s
        ++count
      }
      END {
        time_s = sum_s / cores > longest_s ? sum_s / cores : longest_s
        printf "%d tests, about ", count
        if (time_s < 90) printf "%d s\n", time_s + 1
        else printf "%d minutes\n", time_s / 60 + 0.5
      }'
}

# say_not_tested LOG: what tests say in a log of ctest that they leave out (tests/support/tools.py).
say_not_tested() {
  local left_out
  left_out=$(sed -n 's/^not tested: \(.*\); needs \(.*\)$/\1 (\2)/p' "$1" | sort -u |
    awk '{ printf "%s%s", NR == 1 ? "" : ", ", $0 }')
  [ -z "$left_out" ] || say "not tested, for want of the packages in brackets: $left_out"
}
