#!/usr/bin/env bash
# The transports over UCX and libfabric: the conformance suite with processes over shared memory and
# TCP, the loader of libraries, the C code under the sanitizers, and a binary with every transport,
# which only needs libc to start.
set -eEuo pipefail
trap 'echo "$0, line $LINENO: exit code $?: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
scripts/install.sh gcc libc6-dev libucx-dev libfabric-dev libfabric1
export CGO_ENABLED=1 GOEXPERIMENT=simd # as make build-full has it

tmp=$(mktemp -d -t gobench-native.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
go test -vet=off -tags 'ucx ofi' ./transports/native/... ./transports/ucx ./transports/ofi

# Leaks are not checked: the libraries keep memory until exit.
for transport in ucx ofi; do
	(. scripts/sanitizers.sh && go test -vet=off -asan -tags $transport -c -o "$tmp/$transport" ./transports/$transport)
	(cd "transports/$transport" && ASAN_OPTIONS=detect_leaks=0:handle_segv=0 "$tmp/$transport" \
		-test.run 'TestActiveMessages|/(no_overtaking|zero_length|self_messages|cancel_a_receive|close_delivers|death_of_a_sender)')
done

make -s build-full >/dev/null
needed=$(readelf -d bin/gobench-full | grep -oP 'NEEDED.*\[\K[^]]+' | tr '\n' ' ')
for library in $needed; do
	case $library in
	libc.so.6 | libdl.so.2 | libpthread.so.0 | libresolv.so.2 | ld-linux-*) ;;
	*) echo "bin/gobench-full needs $library to start" >&2; exit 1 ;;
	esac
done
bin/gobench-full probe >/dev/null
for options in "ucx tls=posix,cma,self" "ucx tls=tcp,self" "ofi provider=tcp"; do
	read -r transport option <<<"$options"
	for level in device raw; do
		echo "$transport, $option, level $level"
		benches=pingpong
		[ $level = device ] || benches+=,put_lat,put_bw,get_lat,get_bw,fadd_lat,fadd_bw,cswap_lat,cswap_bw
		timeout 180 bin/gobench-full p2p --transport="$transport" --set "$option" --level=$level --bench=$benches --window=16 --sizes=8,64K \
			--launches=1 --budget=20ms -o /dev/null >/dev/null
	done
	timeout 180 bin/gobench-full p2p --transport="$transport" --set "$option" --set loop=native --level=raw --sizes=0,8,64K --launches=1 \
		--budget=20ms -o /dev/null >/dev/null
	for fault in corrupt=3 drop:20=1; do
		code=0
		timeout 180 bin/gobench-full p2p --transport="$transport" --set "$option" --set loop=native --level=raw --sizes=8 --launches=1 \
			--budget=20ms --fault="${fault%=*}" -o /dev/null >/dev/null 2>&1 || code=$?
		[ $code = "${fault#*=}" ] || { echo "$transport, $option: ${fault%=*} in a loop in C ended with exit code $code" >&2; exit 1; }
	done
	echo "$transport, $option, windows"
	timeout 180 bin/gobench-full p2p --transport="$transport" --set "$option" --level=comm --epoch=flush,lock,fence,pscw --window=16 --sizes=8,64K \
		--bench=put,get,accumulate,get_accumulate,fetch_and_op,compare_and_swap,put_biband --iterations=20 --launches=1 -o /dev/null >/dev/null
	# The check of the data reaches what is put and got. Windows over UCX's TCP use messages.
	checked="raw:put_bw,get_lat"
	[ $option = tls=tcp,self ] || checked+=" comm:put comm:get"
	for benches in $checked; do
		code=0
		timeout 180 bin/gobench-full p2p --transport="$transport" --set "$option" --level="${benches%:*}" --bench="${benches#*:}" --sizes=64K --launches=1 \
			--budget=20ms --fault=corrupt -o /dev/null >/dev/null 2>&1 || code=$?
		[ $code = 3 ] || { echo "$transport, $option: damaged data of $benches ended with exit code $code, want 3" >&2; exit 1; }
	done
done
