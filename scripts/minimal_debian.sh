# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash
# Sourced: a minimal Debian 12 in the directory $machine, and commands in it. Needs root,
# debootstrap and unshare, and a function `fail`.

suite=bookworm

# The first archive that this machine's apt takes the suite from.
archive_of_this_machine() {
  # shellcheck disable=SC2016  # $(REPO_URI) is apt's
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" |
    sed -n 1p
}

install_minimal_debian() {
  local archive
  archive=$(archive_of_this_machine)
  [ -n "$archive" ] || fail "this machine's apt knows no archive of $suite"
  local log
  log=$(mktemp)
  debootstrap --variant=minbase "$suite" "$machine" "$archive" >"$log" 2>&1 ||
    fail "debootstrap failed; see $log"
  rm -f "$log" "$machine/etc/apt/sources.list"
  cp -a /etc/apt/. "$machine/etc/apt/"
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
