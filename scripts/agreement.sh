#!/usr/bin/env bash
# Measures how far gobench over transport mpi agrees with IMB-MPI1 and the OSU Micro-Benchmarks,
# over the same MPI library on the same two cores, in rounds in turns. Method and results:
# docs/notes/agreement.md.
#
#   scripts/agreement.sh "mpirun --bind-to core -n 2" IMB-MPI1 OSU-FOLDER ROUNDS FOLDER
#
# OSU-FOLDER has osu_latency and so on, at any depth. Logs and records are left in FOLDER, one of
# each a round; with 0 rounds, the tables of what is there are printed. Values are medians over
# rounds with the least and greatest; the ratios are that of the first column's median over this
# one, and of its least over the least.
# All programs must be built for the MPI of the launcher; gobench is bin/gobench-mpi (make
# build-mpi).
set -euo pipefail
[ $# -eq 5 ] || { sed -n '2,11s/^# \?//p' "$0" >&2; exit 2; }
launcher=$1 imb=$2 osu=$3 rounds=$4 out=$5
gobench=$(dirname "$0")/../bin/gobench-mpi
mkdir -p "$out"
printf '%s\n' 8 1024 65536 1048576 >"$out/lengths"

find_osu() { find "$osu" -name "$1" -type f -perm -u+x | grep -v '\.libs' | head -1; }
for ((i = 1; i <= rounds; i++)); do
	$launcher "$imb" PingPong Sendrecv Exchange Bcast Allreduce Alltoall Barrier -npmin 2 -msglen "$out/lengths" -time 0.1 >"$out/imb.$i"
	for test in latency bcast allreduce alltoall barrier; do
		for size in 8 1024 65536 1048576; do
			[ $test = barrier ] && [ $size -gt 8 ] && continue
			limits="-m $size:$size -f"
			[ $test = latency ] && limits="-m $size:$size"
			[ $test = barrier ] && limits=-f
			$launcher "$(find_osu osu_$test)" $limits -i $((size > 9999 ? 500 : 10000)) -x 200
		done
	done >"$out/osu.$i"
	common="--transport=mpi --launches=1"
	$launcher "$gobench" p2p $common --level=comm --bench=pingpong,sendrecv,exchange --sizes=8,1K,64K,1M -o "$out/p2p.$i.jsonl" >/dev/null
	for level in raw device; do
		$launcher "$gobench" p2p $common --level=$level --sizes=8,1M -o "$out/$level.$i.jsonl" >/dev/null
	done
	$launcher "$gobench" p2p $common --level=raw --set=loop=native --sizes=8,1M -o "$out/native.$i.jsonl" >/dev/null
	$launcher "$gobench" coll $common --op=bcast,allreduce,alltoall,barrier --algo=mpi --sizes=8,1K,64K,1M -o "$out/coll.$i.jsonl" >/dev/null
done

# One line for each value: program, operation, bytes, microseconds. Of IMB and OSU, times of
# collectives are those of the slowest rank. Of gobench, the median and the mean of each launch.
records() {
	cat /dev/null "$@" | awk -v program="$p" '/"kind":"point"/ {
		match($0, /"bench":"[a-z]+"/); b = substr($0, RSTART + 9, RLENGTH - 10)
		size = match($0, /"size_B":[0-9]+/) ? substr($0, RSTART + 9, RLENGTH - 9) : 0
		if (!match($0, /"(half_rtt_s|t_s|iteration_s|global_s)":\{"median":[0-9.e-]+,("lo":[0-9.e-]+,"hi":[0-9.e-]+,)?"mean":[0-9.e-]+/)) next
		v = substr($0, RSTART, RLENGTH); median = v; sub(/.*"median":/, "", median); sub(/,.*/, "", median); sub(/.*"mean":/, "", v)
		if (program != "") print program, b, size, median * 1e6
		else { print "gobench", b, size, median * 1e6; print "mean", b, size, v * 1e6 } }'
}
table() {
	sort -k2,2 -k3,3n -k1,1 -k4,4g | awk -v list="$1" -v base="$2" '
	function done() { if (n) { m[p] = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2; lo[p] = v[1]; hi[p] = v[n] } n = 0 }
	function row(i, q) {
		if (c == "") return
		printf "| %s |", c
		for (i = 1; i <= count; i++) { q = names[i]
			if (q in m) printf " %.3f (%.3f to %.3f) %s|", m[q], lo[q], hi[q], q == base ? "" : sprintf("%.2f, %.2f ", m[base] / m[q], lo[base] / lo[q])
			else printf " - |" }
		print ""; delete m }
	BEGIN { count = split(list, names, ","); printf "| operation, bytes |"; for (i = 1; i <= count; i++) printf " %s |", names[i]; print ""
		printf "|---|"; for (i = 1; i <= count; i++) printf "---|"; print "" }
	{ if (p != $1 || c != $2 " " $3) done(); if (c != $2 " " $3) row(); p = $1; c = $2 " " $3; v[++n] = $4 }
	END { done(); row() }'
}
shopt -s nullglob
p=
{
	awk '/^# Benchmarking/ { b = tolower($3) }
		b == "barrier" && NF == 4 && $1 ~ /^[0-9]+$/ { print "imb", b, 0, $3 }
		b != "barrier" && NF >= 4 && $1 ~ /^[0-9]+$/ { print "imb", b, $1, b == "pingpong" ? $3 : $4 }' "$out"/imb.[0-9]*
	awk '/^# OSU/ { b = tolower($0); sub(/.*mpi[-_ ]*/, "", b); sub(/all-to-all.*/, "alltoall", b); sub(/ latency.*/, "", b); sub(/latency.*/, "pingpong", b); sub(/broadcast/, "bcast", b) }
		b == "barrier" && NF >= 3 && $1 ~ /^[0-9.]+$/ { print "osu", b, 0, $3 }
		b != "barrier" && NF >= 2 && $1 ~ /^[0-9]+$/ { print "osu", b, $1, (NF >= 4 ? $4 : $2) }' "$out"/osu.[0-9]*
	records "$out"/p2p.[0-9]*.jsonl "$out"/coll.[0-9]*.jsonl
} | table gobench,mean,imb,osu gobench
echo
for p in native raw device comm; do
	files=("$out"/$p.[0-9]*.jsonl)
	[ $p = comm ] && files=("$out"/p2p.[0-9]*.jsonl)
	records "${files[@]}" | awk '$2 == "pingpong" && ($3 == 8 || $3 == 1048576)'
done | table native,raw,device,comm native
