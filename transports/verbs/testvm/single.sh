#!/bin/bash
# usage, inside the VM: single.sh FOLDER: all that needs one machine alone. FOLDER has gobench, the
# tests of the transports, of ibv three builds, plain, race and asan, and ucx, ofi, sctp and tcp,
# and the emulation of XRC, xrc and xrc-asan. Prints the seconds of each part,
# and ends at the first that fails.
folder=$1
# The time-out of a test is shorter than that of the machine, because it reports where the test
# hangs.
limit='-test.timeout 600s'

part() { # NAME COMMAND...
	local begin=$EPOCHREALTIME name=$1
	shift
	"$@" || { echo "part $name: exit code $?"; exit 1; }
	echo "part $name: $(((${EPOCHREALTIME/./} - ${begin/./}) / 100000))" | sed 's/.$/.& s/'
}

p2p() { "$folder/gobench" p2p --launches=1 --transport=ibv "$@"; }

# Tests that run under AddressSanitizer do not run without it; it covers the C code of package ibv
# and the memory that Go passes to it. Leaks are not checked, because libibverbs keeps its list of
# devices until exit. Under it Go allocates where it otherwise does not, so tests of allocations run
# without it. TestPutsAndGets is too slow under the race detector; TestLoopToADeadPeer starts the
# same loops.
sanitized='Control|Credits|Ready|SharedQueue|Wrong|Segments|LoopTo|LoopReturns|PingPong|LazyConnects|PeerGone|QueueError|Services|Atomics'
part ibv "$folder/plain" $limit -test.skip "^TestMachines\$|^TestGoroutines\$|^TestXRC|$sanitized"
part 'ibv, race detector' "$folder/race" $limit -test.run 'Goroutines|LazyPeer|LoopTo'
part 'ibv, AddressSanitizer' env ASAN_OPTIONS=detect_leaks=0 "$folder/asan" $limit -test.run "$sanitized"

part 'XRC emulated, AddressSanitizer' env ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$folder/xrc-asan" "$folder/asan" $limit -test.run '^TestXRC'

part 'ucx over soft-RoCE' "$folder/ucx" $limit -test.run '^TestSoftRoCE$'
part 'ofi over soft-RoCE' env LD_LIBRARY_PATH="$folder/libraries" "$folder/ofi" $limit -test.run '^TestSoftRoCE$'

families() {
	while read -r module; do insmod /vm-modules/$module || return; done </vm-modules/order
	"$folder/sctp" $limit -test.run '^Test(Conformance|Options|OptionsInForce)$/^(sleeps|every_size|close_delivers|death_of_a)' &&
		"$folder/tcp" $limit -test.run Families
}
part 'families of sockets' families

commands() {
	"$folder/gobench" probe --full | grep -A12 '^ *ibv' | grep 'rxe0, multicast: [1-9]' || return
	p2p --sizes=8,64K --budget=100ms -o /dev/null || return
	export GOBENCH_PROFILE=none # each command would measure one, because the emulator disturbs it
	for loop in native go; do
		p2p --level=raw --bench=put_lat,put_bw,get_lat,get_bw,fadd_lat,fadd_bw,cswap_lat,cswap_bw --set loop=$loop --set qps=2 \
			--sizes=8,64K --budget=50ms -o /tmp/raw.jsonl || return
	done
	grep -q 'bench...put_bw.*loop...go.*qps...2' /tmp/raw.jsonl || return
	for bench in pingpong put_lat get_bw fadd_bw; do
		p2p --level=raw --bench=$bench --set loop=native --fault=corrupt --sizes=8 -o /dev/null
		[ $? = 3 ] || { echo "wrong data of $bench in a native loop is not noticed"; return 1; }
	done
	LD_LIBRARY_PATH=$folder/xrc p2p --level=raw --bench=pingpong,cswap_lat --set service=xrc --set loop=native \
		--sizes=8 --budget=20ms -o /tmp/xrc.jsonl && grep -q 'cswap_lat.*XRC emulated' /tmp/xrc.jsonl
}
part commands commands
