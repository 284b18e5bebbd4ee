#!/bin/bash
# usage, inside the VM: compare.sh GOBENCH ROUNDS: gobench and perftest in turns over the same
# soft-RoCE device. Prints one line for each measurement: round, name, value.
gobench=$1 rounds=$2
cd /tmp || exit 1
index=$(grep -l ':0000:ffff:' /sys/class/infiniband/rxe0/ports/1/gids/* | head -1)
gid=$(basename "$index")

# perftest TOOL COLUMN ARG...: server and client on this machine, pinned as gobench pins its ranks.
perftest() {
	local tool=$1 column=$2
	shift 2
	taskset -c 0 "$tool" -d rxe0 -x "$gid" "$@" >/dev/null 2>&1 &
	sleep .7
	taskset -c 1 "$tool" -d rxe0 -x "$gid" "$@" 127.0.0.1 2>/dev/null | awk -v c="$column" '$1 ~ /^[0-9]+$/ && NF > 4 { print $c }' | tail -1
	wait
}

# p2p COLUMN ARG...: the value of a row of gobench's table.
p2p() {
	local column=$1
	shift
	"$gobench" p2p --transport=ibv --set device=rxe0 -o /dev/null "$@" 2>/dev/null | awk -v c="$column" '$1 ~ /^[0-9]+$/ { print $c }' | tail -1
}

for round in $(seq "$rounds"); do
	say() { echo "$round $1 $2"; }
	say ib_send_lat "$(perftest ib_send_lat 5 -s 8 -n 3000)"
	say raw "$(p2p 3 --level=raw --sizes=8 --budget=1s)"
	say device "$(p2p 3 --level=device --sizes=8 --budget=1s)"
	say raw_loop_go "$(p2p 3 --level=raw --set loop=go --sizes=8 --budget=1s)"
	say ib_write_lat "$(perftest ib_write_lat 5 -s 8 -n 3000)"
	say ib_read_lat "$(perftest ib_read_lat 5 -s 8 -n 1000)"
	for loop in native go; do
		say write_$loop "$(p2p 3 --level=raw --bench=put_lat --set loop=$loop --sizes=8 --budget=1s)"
		say read_$loop "$(p2p 3 --level=raw --bench=get_lat --set loop=$loop --sizes=8 --budget=1s)"
	done
	say put_bw "$(p2p 7 --level=raw --bench=put_bw --window=16 --sizes=1MiB --budget=2s)"
	say ib_write_bw "$(perftest ib_write_bw 4 -s 1048576 -n 100)"
	say bandwidth "$(p2p 7 --bench=uniband --window=16 --sizes=1MiB --budget=3s)"
done
