#!/usr/bin/env bash
# usage: build.sh FOLDER [OPTION OF GCC]...: compiles the emulation of XRC (xrc.c) as
# FOLDER/libibverbs.so.1. It takes effect with LD_LIBRARY_PATH=FOLDER. It needs the real library by
# its path, so that all functions that it does not replace are found there; its name in the file is
# another one, under which no program looks for it.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1
shift
mkdir -p "$folder"
real=$(readlink -f "$(PATH=$PATH:/sbin ldconfig -p | awk '/libibverbs.so.1 / { print $NF; exit }')")
gcc -shared -nostdlib -x c /dev/null -Wl,-soname,"$real" -o "$folder/real.so"
gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden "$@" -DREAL="\"$real\"" xrc.c \
	-Wl,-soname,libibverbs-xrc.so.1 -Wl,--no-as-needed "$folder/real.so" -lpthread -o "$folder/libibverbs.so.1"
rm "$folder/real.so"
