#!/usr/bin/env bash
# Measures gobench over transport mpi and programs of IMB and OSU over the same library, in random
# order in each of several launches, and compares them; with transport=smem in the environment, over
# that transport instead. Results: docs/notes/osu-imb.md.
#
#   scripts/compare-micro.sh "mpirun --bind-to core -n {np}" FOLDER LAUNCHES RECORDS
#
# FOLDER has osu_latency, IMB-MPI1 and so on, built for the library of the launcher, at any depth.
# gobench is bin/gobench-mpi (make build-mpi). In the environment: benchmarks and sizes select some,
# threads is for IMB-MT and osu_latency_mt, gate=50% ends with 4 where gobench is slower by half.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '2,10s/^# \?//p' "$0" >&2; exit 2; }
launcher=$1 folder=$2 launches=$3 records=$4
gobench=$(dirname "$0")/../bin/gobench-mpi
: "${benchmarks:=osu_latency osu_bw osu_bibw osu_gatherv osu_scatterv osu_allgatherv osu_alltoallv osu_iallreduce osu_put_latency
	osu_latency_persistent osu_bw_persistent osu_bibw_persistent osu_latency_mt osu_reduce_scatter
	osu_neighbor_allgather osu_neighbor_alltoall osu_neighbor_allgatherv osu_neighbor_alltoallv osu_ineighbor_alltoall
	IMB-MPI1:PingPong IMB-MPI1:Uniband IMB-MPI1:Biband IMB-MPI1:Alltoallv IMB-NBC:Iallreduce IMB-RMA:Unidir_put IMB-RMA:Unidir_get}"
: "${sizes:=8 65536 1048576}" "${threads:=2}" "${transport:=mpi}"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
printf '%s\n' $sizes >"$work/lengths"
printf '0,1\n1,0\n' >"$work/edges" # of neighbourhood operations, for OSU and for gobench
printf '0 1\n1 0\n' >"$work/graph"
declare -A own=() # names of benchmarks of gobench, by the kind of their command
{
	printf 'name = "micro"\nlaunches = %s\n' "$launches"
	for benchmark in $benchmarks; do
		program=${benchmark%:*} name=${benchmark#*:}
		path=$(find "$folder" -name "$program" -type f -perm -u+x | grep -v '\.libs' | head -1) || true
		[ "$path" ] || { echo "$folder has no program $program: build it, or leave it out of benchmarks=\"$benchmarks\"" >&2; exit 2; }
		example=$("$gobench" explain "${name%MT}" | sed -n 's/^ *example *gobench //p')
		ours=${example##*=}
		kind=p2p options=
		case $example in
		*--threads*) kind=threads options=" -t 1:$threads" ;;
		coll*)
			kind=coll options=" -f"
			[[ $ours != i* ]] || kind+=-nonblocking
			[[ $ours != *v ]] || kind+=-vector
			[[ $ours != *neighbor* ]] || kind+=-neighbor options+=" -N graph:$work/edges"
			;;
		esac
		[ "$name" = "${name%MT}" ] || { [ $kind = p2p ] || { echo "$name has no counterpart" >&2; exit 2; }; kind=threads; }
		[[ ,${own[$kind]:-}, == *,$ours,* ]] || own[$kind]=${own[$kind]:+${own[$kind]},}$ours
		printf '[[program]]\ntransport = "%s"\nnp = 2\n' "$transport"
		case $program in
		osu_fop* | osu_cas*) printf 'library = "OSU"\nimporter = "osu"\ncommand = "%s %s"\n' "$launcher" "$path" ;;
		osu_*)
			printf 'library = "OSU"\nimporter = "osu"\ncommand = "%s %s -m {size}:{size}%s"\nsize = ["%s"]\n' "$launcher" "$path" "$options" "${sizes// /\", \"}"
			;;
		IMB-MT)
			printf 'library = "IMB"\nimporter = "imb"\ncommand = "%s %s %s -thread_level multiple -datatype char -count %s"\nenv = [["OMP_NUM_THREADS=%s"]]\n' \
				"$launcher" "$path" "$name" "${sizes// /,}" "$threads"
			;;
		*) printf 'library = "IMB"\nimporter = "imb"\ncommand = "%s %s %s -npmin 2 -msglen %s -time 0.2"\n' "$launcher" "$path" "$name" "$work/lengths" ;;
		esac
	done
	for kind in "${!own[@]}"; do
		case $kind in
		p2p) printf '[[p2p]]\nlevel = "comm"\nbench = "%s"\n' "${own[$kind]}" ;;
		threads) printf '[[p2p]]\nlevel = "comm"\nthreads = %s\nbatch = 64\nbench = "%s"\n' "$threads" "${own[$kind]}" ;;
		*) printf '[[coll]]\nstart = "barrier"\nop = "%s"\n' "${own[$kind]}" ;;
		esac
		[[ $kind != *neighbor ]] || printf 'topology = "graph:%s"\n' "$work/graph"
		printf 'transport = "%s"\nnp = 2\nsizes = "%s"\nbudget = "100ms"\n' "$transport" "${sizes// /,}"
		[ $transport != mpi ] || printf 'launcher = "%s"\n' "$launcher"
		[[ $transport$kind != mpicoll?(-nonblocking) ]] || printf 'algo = "mpi"\n'
	done
} >"$work/micro.toml"
"$gobench" sweep "$work/micro.toml" -o "$records"
code=0
for library in OSU IMB; do
	grep -q "\"$library\"" "$work/micro.toml" || continue
	other=IMB
	[ $library = OSU ] || other=OSU
	grep -v "\"library\":\"$other\"" "$records" >"$work/$library.jsonl"
	"$gobench" compare "$work/$library.jsonl" --by=library --base=$library ${gate:+--gate --min-effect=$gate} || code=$?
done
exit $code
