# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash
# Sourced: a minimal Debian in the directory $machine, and commands in it. FAULTLINE_SUITE says
# which one: bookworm (Debian 12, the default) or trixie (Debian 13). Needs root, debootstrap and
# unshare, and a function `fail`.

suite=${FAULTLINE_SUITE:-bookworm}

# archives_of_this_machine CONDITION...: the archives that this machine's apt takes a suite from.
archives_of_this_machine() {
  # shellcheck disable=SC2016  # $(REPO_URI) is apt's
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "$@"
}

install_minimal_debian() {
  local own archive log
  own=$(archives_of_this_machine "Codename: $suite" | sed -n 1p)
  # Debian's archive has all of its suites.
  archive=${own:-$(archives_of_this_machine | sed '/security/d' | sed -n 1p)}
  [ -n "$archive" ] || fail "this machine's apt knows no archive of Debian"
  log=$(mktemp)
  debootstrap --variant=minbase "$suite" "$machine" "$archive" >"$log" 2>&1 ||
    fail "debootstrap failed; see $log"
  rm -f "$log"
  if [ -n "$own" ]; then
    rm -f "$machine/etc/apt/sources.list"
    cp -a /etc/apt/. "$machine/etc/apt/"
  fi
  cp -L /etc/resolv.conf "$machine/etc/resolv.conf"
}

# A mount and process space of its own: everything mounted goes away with the last process.
inside() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork bash -c '
    machine=$1
    shift
    mount -t proc proc "$machine/proc" && mount --rbind /dev "$machine/dev" &&
      exec chroot "$machine" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        ${CI+CI="$CI"} "$@"' inside "$machine" "$@"
}
