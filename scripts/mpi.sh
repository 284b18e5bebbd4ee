#!/usr/bin/env bash
# Compiles the part of the transport mpi that depends on the ABI of the library, once for each MPI
# whose compiler is installed. The objects name no library: the program opens one when it runs.
# SANITIZE=address,undefined compiles them for a program that is built with -asan.
set -euo pipefail
cd "$(dirname "$0")/../transports/mpi/library/abi"

built=0
for abi in openmpi mpich; do
	if ! compiler=$(command -v "mpicc.$abi"); then
		rm -f "$abi.so"
		echo "transport mpi: no mpicc.$abi, so the binary will not open that library" >&2
		continue
	fi
	# -show prints the whole command line: all that is wanted of it are the folders of headers.
	read -ra line < <("$compiler" -show)
	headers=()
	for word in "${line[@]}"; do
		[[ $word == -I* ]] && headers+=("$word")
	done
	gcc -std=gnu11 -O2 ${SANITIZE:+-fsanitize=$SANITIZE -g} -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden "${headers[@]}" -o "$abi.so.$$" mpi.c messages.c collectives.c
	mv "$abi.so.$$" "$abi.so" # another build may be embedding it
	built=$((built + 1))
done
[ "$built" -gt 0 ] || { echo "install libopenmpi-dev or libmpich-dev" >&2; exit 1; }
