#!/usr/bin/env bash
# Compiles the part of the transport mpi that depends on the ABI of the library, once for the
# standard ABI of MPI 5.0 and once for each MPI whose compiler is installed. The objects name no
# library: the program opens one when it runs. SANITIZE=address,undefined compiles them for a
# program that is built with -asan. CC names the compiler for another processor. scripts/mpi.sh
# --emulator FOLDER builds libmpi_abi.so.1 over MPICH there, a test tool.
set -euo pipefail
cd "$(dirname "$0")/../transports/mpi"

# headers ABI sets headers to the options of the compiler for the headers of a library; it fails
# without its mpicc.
headers() {
	local compiler line word
	headers=(-Ilibrary/abi/standard)
	[ "$1" != standard ] || return 0
	compiler=$(command -v "mpicc.$1") || return 1
	headers=()
	# -show prints the whole command line: all that is wanted of it are the folders of headers.
	read -ra line < <("$compiler" -show)
	for word in "${line[@]}"; do
		[[ $word != -I* ]] || headers+=("$word")
	done
}

compile() {
	"${CC:-gcc}" -std=gnu11 -O2 ${SANITIZE:+-fsanitize=$SANITIZE -g} -Wall -Wextra -Werror -fPIC -fvisibility=hidden "${headers[@]}" "$@"
}

if [ "${1:-}" = --emulator ]; then
	headers mpich
	compile -c -o "$2/values.o" emulator/values.c
	headers standard
	compile -D_GNU_SOURCE -shared -Wl,-soname,libmpi_abi.so.1 -o "$2/libmpi_abi.so.1" emulator/standard.c "$2/values.o"
	exit
fi
for abi in standard openmpi mpich; do
	object=library/abi/$abi.so
	if ! headers $abi; then
		rm -f "$object"
		echo "transport mpi: no mpicc.$abi, so the binary will not open that library" >&2
		continue
	fi
	compile -shared -o "$object.$$" library/abi/{mpi,messages,collectives,windows}.c
	mv "$object.$$" "$object" # another build may be embedding it
done
