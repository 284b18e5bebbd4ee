#!/usr/bin/env bash
# Installs Debian packages that are missing; does nothing when all are there.
# usage: scripts/install.sh PACKAGE...
set -euo pipefail

missing=()
for package in "$@"; do
	if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
		missing+=("$package")
	fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "cannot install ${missing[*]}: not root, and there is no sudo; install them by hand" >&2
		exit 1
	fi
	as_root=(sudo)
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" </dev/null; }

echo "installing ${missing[*]}"
# Update the package lists only if they are missing or stale.
if ! apt install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
	apt update
	apt install --no-install-recommends "${missing[@]}" >/dev/null
fi
