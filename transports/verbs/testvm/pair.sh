#!/bin/bash
# usage, inside each of two joined VMs: pair.sh FOLDER: ranks on two machines. FOLDER has plain and
# hybrid, the tests of the transports ibv and hybrid, and gobench. vm1 runs the tests, whose ranks
# on vm2 are started there, then both run gobench. At the end vm1 prints "cut vm2", and whoever runs
# the machines ends vm2.
folder=$1
name=$(hostname)
node=$((${name#vm} - 1))
port=7100
cd /tmp || exit 1
export GOBENCH_SECRET=secret-of-two-machines

# p2p RANKS ARG...: both machines run the same lines. Ranks are dealt to them in halves.
p2p() {
	local ranks=$1 i last code=0
	shift
	port=$((port + 1))
	last=$(((node + 1) * ranks / 2 - 1))
	for i in $(seq $((node * ranks / 2)) $last); do
		"$folder/gobench" "${verb:-p2p}" --node=$i/$ranks --meet=10.5.0.1:$port --launches=1 -o records "$@" &
	done
	for i in $(jobs -p); do
		wait "$i" || code=$?
	done
	return $code
}

# quietly COMMAND...: what it prints is shown only where it fails.
quietly() {
	"$@" >printed 2>&1 && return
	local code=$?
	echo "$name: $*: exit code $code"
	cat printed
	exit 1
}

if [ "$node" = 1 ]; then
	GOBENCH_DEVICETEST_SERVE=10.5.0.2:7001 "$folder/plain" &
	GOBENCH_DEVICETEST_SERVE=10.5.0.2:7002 "$folder/hybrid" &
	servers=$(jobs -p)
	busybox nc -l -p 7003 </dev/null >/dev/null # until vm1 has tested
	kill $servers
	wait
else
	GOBENCH_TEST_ELSEWHERE=10.5.0.2:7001 "$folder/plain" -test.timeout 500s -test.run "TestMachines" || exit
	GOBENCH_TEST_ELSEWHERE=10.5.0.2:7002 "$folder/hybrid" -test.timeout 500s -test.run "TestMachines" || exit
	until (: >/dev/tcp/10.5.0.2/7003) 2>/dev/null; do sleep .1; done
fi

clocks() { GOBENCH_TEST_CLOCKS=$1@10.5.0.1:7004 quietly "$folder/hybrid" -test.v -test.run TestClocksOfMachines; }
if [ "$node" = 0 ]; then
	clocks first
else
	clocks second
	grep 'maps hold' printed
fi

patient="--set peer_timeout=4000" # this machine may be busy
roce="--set device=rxe0 --set bind=10.5.0.0/24"
raw() { p2p 2 --transport=ibv $1 $patient --level=raw --bench=pingpong,put_lat,put_bw,get_lat,get_bw --set loop=native --sizes=8,64K --window=16 --budget=50ms; }
quietly raw "$roce"
export GOBENCH_PROFILE=none # each command would measure one, because the emulator disturbs it
# Soft-iWARP between two emulated machines stood still in one of five runs: for 16 s not even an
# empty RDMA write was acknowledged. Where that happens it is said, and tried once more.
raw "--set device=siw0" >printed 2>&1 || {
	grep 'is lost' printed || cat printed
	echo "$name: soft-iWARP is tried again"
	quietly raw "--set device=siw0"
}
verb=coll quietly p2p 4 --transport=smem+ibv $roce $patient --op=allreduce --sizes=8 --budget=100ms
p2p 2 --transport=ibv $roce $patient --fault=corrupt --sizes=8 --budget=100ms
code=$?
[ $code = 3 ] || { echo "$name: wrong data: exit code $code"; exit 1; }
if [ "$node" = 0 ]; then
	for text in '"bench":"'{pingpong,put_lat,put_bw,get_lat,get_bw,allreduce}'"' '"path_mtu":"1024"' '"inside":"smem"'; do
		grep -q "$text" records || { echo "the records have no $text"; exit 1; }
	done
fi
# A piped table is printed at its end, so the first record is the sign that ranks exchange messages.
p2p 2 --transport=ibv $roce --bench=pingpong,uniband --sizes=8,4M --budget=2s -o cut &
run=$!
until grep -qs '"kind":"point"' cut || ! kill -0 $run 2>/dev/null; do sleep .1; done
[ "$node" = 1 ] || echo "cut vm2"
wait $run
code=$?
[ "$code" = 1 ] || { echo "$name: the other machine is gone: exit code $code"; exit 1; }
