#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# The Debian package in a clean root: apt installs it with what it says that it needs on a minimal
# Debian 12, the program runs there, and removing the package leaves nothing. Needs root,
# debootstrap, unshare and dpkg-dev; exits with 77 without them.
set -euo pipefail

checkout=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

fail() {
  printf 'clean root: %s\n' "$*" >&2
  exit 1
}

for tool in debootstrap unshare dpkg-shlibdeps cpack; do
  if [ "$(id -u)" != 0 ] || ! command -v "$tool" >/dev/null; then
    printf 'skipped: needs root and %s\n' "$tool"
    exit 77
  fi
done

work=$(mktemp -d "${TMPDIR:-/tmp}/faultline-clean-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
machine=$work/root
mkdir "$machine"
chmod 755 "$work" "$machine"
# shellcheck source=scripts/minimal_debian.sh
. "$checkout/scripts/minimal_debian.sh"

cpack --config "$FAULTLINE_BUILD_DIR/CPackConfig.cmake" -B "$work/made" >/dev/null
install_minimal_debian
cp "$work"/made/faultline_*.deb "$machine/tmp/faultline.deb"
inside apt-get -q update >/dev/null
inside apt-get -q -y install --no-install-recommends /tmp/faultline.deb >"$work/log" 2>&1 ||
  fail "apt cannot install it: $(tail -n 5 "$work/log")"
inside faultline --version
inside faultline survival --processes 1024 >/dev/null
for engine in loggp simgrid; do
  inside faultline run /usr/share/faultline/scenarios/examples/ping-pong-mira.json --quiet \
    --set "engine=$engine"
done
inside dpkg --purge faultline
left=$(find "$machine/usr" -iname '*faultline*')
[ -z "$left" ] || fail "left behind: $left"
