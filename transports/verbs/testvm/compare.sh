#!/bin/bash
# usage, inside the VM: compare.sh GOBENCH ROUNDS WHAT: gobench and perftest in turns over the same
# soft-RoCE device, what is judged or all. perftest takes as many samples as gobench took right before it.
# Where only what is judged is measured, no round begins after the limit, so that a busy machine ends in time.
# Prints one line for each pair: round, name, value of gobench, value of perftest, samples of each.
gobench=$1 rounds=$2 what=$3
cd /tmp || exit 1
index=$(grep -l ':0000:ffff:' /sys/class/infiniband/rxe0/ports/1/gids/* | head -1)
gid=$(basename "$index")
window=16
limit=200 # seconds

# perftest TOOL ARG...: server and client on this machine, pinned as gobench pins its ranks. Of a latency t_typical (the
# median), of a bandwidth the average.
perftest() {
	local tool=$1
	shift
	taskset -c 0 "$tool" -d rxe0 -x "$gid" "$@" >/dev/null 2>&1 &
	sleep .7
	taskset -c 1 "$tool" -d rxe0 -x "$gid" "$@" 127.0.0.1 2>/dev/null | awk -v tool="$tool" '$1 ~ /^[0-9]+$/ && NF > 4 { print tool ~ /_lat$/ ? $5 : $4 }' | tail -1
	wait
}

# p2p ARG...: the record of one cell.
p2p() {
	rm -f record
	"$gobench" p2p --transport=ibv --set device=rxe0 -o record "$@" >/dev/null 2>&1
}

# field METRIC NAME: a number of the record.
field() { sed -n "s/.*\"$1\":{\([^}]*\)}.*/\1/p" record | sed -n "s/.*\"$2\":\([^,]*\).*/\1/p" | tail -1; }

# latency NAME METRIC TOOL ARG...: medians, in microseconds.
latency() {
	local name=$1 metric=$2 tool=$3
	shift 3
	p2p --launches=1 --sizes=8 --budget=400ms "$@"
	local n
	n=$(field "$metric" n)
	echo "$round $name $(field "$metric" median | awk '{ printf "%.2f", $1 * 1e6 }') $(perftest "$tool" -s 8 -n "${n:-1000}") $n"
}

# bandwidth NAME TOOL ARG...: in 2^20 bytes per second, which is what perftest counts in.
bandwidth() {
	local name=$1 tool=$2
	shift 2
	p2p --launches=1 --window=$window --sizes=1MiB --budget=1s "$@"
	local n
	n=$(field t_s n)
	n=$((${n:-10} * window))
	echo "$round $name $(field bandwidth_Bps median | awk '{ printf "%.2f", $1 / 1048576 }') $(perftest "$tool" -s 1048576 -n "$n") $n"
}

for round in $(seq "$rounds"); do
	if [ "$what" = judged ] && [ "$SECONDS" -ge $limit ]; then
		echo "$((round - 1)) rounds of $rounds after $SECONDS s: this machine is busy" >&2
		break
	fi
	latency raw half_rtt_s ib_send_lat --level=raw
	latency raw_native half_rtt_s ib_send_lat --level=raw --set loop=native
	latency device half_rtt_s ib_send_lat --level=device
	bandwidth bandwidth ib_write_bw --bench=uniband
	[ "$what" = all ] || continue
	for loop in native go; do
		latency write_$loop half_rtt_s ib_write_lat --level=raw --bench=put_lat --set loop=$loop
		latency read_$loop t_s ib_read_lat --level=raw --bench=get_lat --set loop=$loop
	done
	bandwidth put_bw ib_write_bw --level=raw --bench=put_bw --set loop=native
done
