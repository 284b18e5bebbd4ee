#!/bin/bash
# usage, inside the VM: compare.sh GOBENCH ROUNDS: gobench and perftest in turns over the same
# soft-RoCE device. Prints one line for each measurement: round, name, value, and of latencies the fastest event.
gobench=$1 rounds=$2
cd /tmp || exit 1
index=$(grep -l ':0000:ffff:' /sys/class/infiniband/rxe0/ports/1/gids/* | head -1)
gid=$(basename "$index")

# perftest TOOL ARG...: server and client on this machine, pinned as gobench pins its ranks. Of a latency t_typical (the
# median) and t_min, of a bandwidth the average.
perftest() {
	local tool=$1
	shift
	taskset -c 0 "$tool" -d rxe0 -x "$gid" "$@" >/dev/null 2>&1 &
	sleep .7
	taskset -c 1 "$tool" -d rxe0 -x "$gid" "$@" 127.0.0.1 2>/dev/null | awk -v tool="$tool" '$1 ~ /^[0-9]+$/ && NF > 4 { print tool ~ /_lat$/ ? $5 " " $3 : $4 }' | tail -1
	wait
}

# p2p ARG...: the record of one cell.
p2p() {
	rm -f record
	"$gobench" p2p --transport=ibv --set device=rxe0 -o record "$@" >/dev/null 2>&1
}

# latency METRIC ARG...: its median and its least sample, in microseconds.
latency() {
	local metric=$1
	shift
	p2p --sizes=8 --budget=1s "$@"
	sed -n "s/.*\"$metric\":{\"median\":\([^,]*\),.*\"min\":\([^,]*\),.*\"bandwidth_Bps.*/\1 \2/p" record | awk '{ printf "%.2f %.2f", $1 * 1e6, $2 * 1e6 }'
}

# bandwidth ARG...: in 10^6 bytes per second.
bandwidth() {
	p2p --window=16 --sizes=1MiB "$@"
	sed -n 's/.*"bandwidth_Bps":{"median":\([^,]*\),.*/\1/p' record | awk '{ printf "%.2f", $1 / 1e6 }'
}

for round in $(seq "$rounds"); do
	say() { echo "$round $1 $2"; }
	say ib_send_lat "$(perftest ib_send_lat -s 8 -n 4000)"
	say raw "$(latency half_rtt_s --level=raw)"
	say device "$(latency half_rtt_s --level=device)"
	say raw_loop_go "$(latency half_rtt_s --level=raw --set loop=go)"
	say ib_write_lat "$(perftest ib_write_lat -s 8 -n 4000)"
	say ib_read_lat "$(perftest ib_read_lat -s 8 -n 2000)"
	for loop in native go; do
		say write_$loop "$(latency half_rtt_s --level=raw --bench=put_lat --set loop=$loop)"
		say read_$loop "$(latency t_s --level=raw --bench=get_lat --set loop=$loop)"
	done
	say put_bw "$(bandwidth --level=raw --bench=put_bw --budget=2s)"
	say ib_write_bw "$(perftest ib_write_bw -s 1048576 -n 100)"
	say bandwidth "$(bandwidth --bench=uniband --budget=3s)"
done
