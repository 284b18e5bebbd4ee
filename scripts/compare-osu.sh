#!/usr/bin/env bash
# Measures gobench over transport mpi and the OSU Micro-Benchmarks over the same library, in random
# order in each of several launches, and compares them. Results: docs/notes/osu-imb.md.
#
#   scripts/compare-osu.sh "mpirun --bind-to core -n {np}" OSU-FOLDER LAUNCHES RECORDS
#
# OSU-FOLDER has osu_latency and so on, built for the library of the launcher, at any depth.
# gobench is bin/gobench-mpi (make build-mpi). programs and sizes in the environment select some.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '2,8s/^# \?//p' "$0" >&2; exit 2; }
launcher=$1 osu=$2 launches=$3 records=$4
gobench=$(dirname "$0")/../bin/gobench-mpi
: "${programs:=latency bw bibw gatherv scatterv allgatherv alltoallv iallreduce put_latency}" "${sizes:=8 65536 1048576}"
sweep=$(mktemp --suffix=.toml)
trap 'rm "$sweep"' EXIT
own() { printf '[[%s]]\nlauncher = "%s"\ntransport = "mpi"\nnp = 2\nsizes = "%s"\nbudget = "100ms"\n%s\n' "$1" "$launcher" "${sizes// /,}" "$2"; }
{
	printf 'name = "osu"\nlaunches = %s\n' "$launches"
	vector=
	for program in $programs; do
		case $program in
		latency) own p2p 'level = "comm"
bench = "pingpong"' ;;
		bw) own p2p 'level = "comm"
bench = "uniband"' ;;
		bibw) own p2p 'level = "comm"
bench = "biband"' ;;
		put_latency) own p2p 'level = "comm"
bench = "put"' ;;
		iallreduce) own coll 'op = "allreduce"
algo = "mpi"
overlap = true' ;;
		gatherv | scatterv | allgatherv | alltoallv) vector+=,$program ;;
		*) echo "$program has no counterpart here: choose from latency bw bibw gatherv scatterv allgatherv alltoallv iallreduce put_latency" >&2; exit 2 ;;
		esac
		path=$(find "$osu" -name "osu_$program" -type f -perm -u+x | grep -v '\.libs' | head -1) || true
		[ "$path" ] || { echo "$osu has no program osu_$program: build it, or leave it out of programs=\"$programs\"" >&2; exit 2; }
		full=; case $program in *v | iallreduce) full=' -f' ;; esac
		printf '[[program]]\nlibrary = "OSU"\ntransport = "mpi"\nimporter = "osu"\nnp = 2\ncommand = "%s %s -m {size}:{size}%s"\nsize = ["%s"]\n' \
			"$launcher" "$path" "$full" "${sizes// /\", \"}"
	done
	[ -z "$vector" ] || own coll "op = \"${vector#,}\"
start = \"barrier\""
} >"$sweep"
"$gobench" sweep "$sweep" -o "$records"
[[ ! $programs =~ latency|bw ]] || "$gobench" compare "$records" --by=library --base=OSU
[[ $programs != *iallreduce* ]] || "$gobench" compare "$records" --by=library --base=OSU --metric=pure_s
# Imported vector forms have no distribution, gobench's have "even".
[ -z "$vector" ] || "$gobench" compare "$records" --by=distribution
