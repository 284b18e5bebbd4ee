#!/usr/bin/env bash
# Measures how far gobench over transport mpi agrees with IMB-MPI1 and the OSU Micro-Benchmarks, over the same MPI library
# on the same two cores, in rounds in turns. Method and results: docs/notes/agreement.md.
#
#   scripts/agreement.sh "mpirun --bind-to core -n 2" IMB-MPI1 OSU-FOLDER ROUNDS FOLDER
#
# OSU-FOLDER has osu_latency and so on, at any depth. Logs and records are left in FOLDER, one of each a round.
# All programs must be built for the MPI of the launcher; gobench is bin/gobench-mpi (make build-mpi).
set -euo pipefail
[ $# -eq 5 ] || { sed -n '2,9s/^# \?//p' "$0" >&2; exit 2; }
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
			limits="-m $size:$size"
			[ $test = barrier ] && limits=
			$launcher "$(find_osu osu_$test)" $limits -i $((size > 9999 ? 500 : 10000)) -x 200
		done
	done >"$out/osu.$i"
	common="--transport=mpi --launches=1"
	$launcher "$gobench" p2p $common --level=comm --bench=pingpong,sendrecv,exchange --sizes=8,1K,64K,1M -o "$out/p2p.$i.jsonl" >/dev/null
	$launcher "$gobench" coll $common --op=bcast,allreduce,alltoall,barrier --algo=mpi --sizes=8,1K,64K,1M -o "$out/coll.$i.jsonl" >/dev/null
done

# One line for each value: program, benchmark, bytes, microseconds.
{
	awk '/^# Benchmarking/ { b = tolower($3) }
		b == "barrier" && NF == 4 && $1 ~ /^[0-9]+$/ { print "imb", b, 0, $4 }
		b != "barrier" && NF >= 4 && $1 ~ /^[0-9]+$/ { print "imb", b, $1, b == "pingpong" ? $3 : $5 }' "$out"/imb.[0-9]*
	awk '/^# OSU/ { b = tolower($0); sub(/.*mpi[-_ ]*/, "", b); sub(/ latency.*/, "", b); sub(/latency.*/, "pingpong", b); sub(/broadcast/, "bcast", b) }
		NF == 1 && b == "barrier" && /^ *[0-9.]+$/ { print "osu", b, 0, $1 }
		NF >= 2 && $1 ~ /^[0-9]+$/ { print "osu", b, $1, $2 }' "$out"/osu.[0-9]*
	cat "$out"/p2p.[0-9]*.jsonl "$out"/coll.[0-9]*.jsonl | awk '/"kind":"point"/ {
		match($0, /"bench":"[a-z]+"/); b = substr($0, RSTART + 9, RLENGTH - 10)
		size = match($0, /"size_B":[0-9]+/) ? substr($0, RSTART + 9, RLENGTH - 9) : 0
		match($0, /"(half_rtt_s|t_s|iteration_s|global_s)":\{"median":[0-9.e-]+,"mean":[0-9.e-]+/)
		v = substr($0, RSTART, RLENGTH); median = v; sub(/.*"median":/, "", median); sub(/,.*/, "", median); sub(/.*"mean":/, "", v)
		print "gobench", b, size, median * 1e6; print "mean", b, size, v * 1e6 }'
} >"$out/values"

# Medians over the launches with their least and greatest value.
sort -k2,2 -k3,3n -k1,1 -k4,4g "$out/values" | awk '
	function done() { if (n) { m[p] = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2; lo[p] = v[1]; hi[p] = v[n] } n = 0 }
	function text(p) { return p in m ? sprintf("%.3f (%.3f to %.3f)", m[p], lo[p], hi[p]) : "-" }
	function ratio(p) { return p in m ? sprintf("%.2f", m["gobench"] / m[p]) : "-" }
	function row() { if (c != "") printf "| %s | %s | %s | %s | %s | %s | %s |\n", c, text("gobench"), text("mean"), text("imb"), ratio("imb"), text("osu"), ratio("osu"); delete m }
	BEGIN { print "| operation, bytes | gobench, median | gobench, mean | IMB | gobench / IMB | OSU | gobench / OSU |\n|---|---|---|---|---|---|---|" }
	{ if (p != $1 || c != $2 " " $3) done(); if (c != $2 " " $3) row(); p = $1; c = $2 " " $3; v[++n] = $4 }
	END { done(); row() }'
