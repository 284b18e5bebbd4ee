#!/usr/bin/env bash
# Compiles the emulators of vendors' libraries, which are test tools and in no release:
# scripts/emulators.sh [FOLDER] [OPTION OF GCC]..., by default into .cache/emulators.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.cache/emulators}
shift || true
mkdir -p "$folder"

build() {
	local library=$1 sources=$2
	gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden "${@:3}" \
		-Wl,-soname,"$library" -o "$folder/$library" "$sources"/*.c -lpthread
}
build libugni.so.0 transports/gni/emulator "$@"
