#!/usr/bin/env bash
# Compiles the emulators of vendors' libraries, which are test tools and in no release:
# scripts/emulators.sh [FOLDER] [OPTION OF GCC]..., by default into .cache/emulators.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.cache/emulators}
shift || true
mkdir -p "$folder"

build() {
	local library=$1
	gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden "${@:2}" \
		-Wl,-soname,"$library" -o "$folder/.$library.$$" -lpthread
	mv "$folder/.$library.$$" "$folder/$library" # ranks of a test may be loading it
}
gni=transports/gni/emulator
build libugni.so.0 $gni/*.c "$@"
build libmxm.so.2 -DPUBLIC= -DFAULTS_VARIABLE='"GOBENCH_MXM_EMULATOR"' \
	transports/mxm/emulator/*.c $gni/{fabric,object,memory,queue,post,domain,faults}.c "$@"
