#!/usr/bin/env bash
# Runs the sanitized programs over sizes around every border they have.
set -euo pipefail
cd "$(dirname "$0")"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 GOBENCH_CORES=0,1
GOBENCH_DIR=$(mktemp -d)
export GOBENCH_DIR
trap 'rm -rf "$GOBENCH_DIR"' EXIT

plan=
for size in 0 1 2 63 64 65 4095 4096 4097 65536 1048577; do plan+=pingpong:$size:5:2,; done
plan=${plan%,}
bin/line.checked 0,1
bin/tcp_pingpong.checked $plan
bin/smem_uniband.checked uniband:1:2000:2,uniband:8:200000:1,uniband:32:64:1
# The arrays of kernels are never given back.
kernel() { ASAN_OPTIONS=detect_leaks=0 "bin/$1.checked" "${@:2}"; }
# Threads divide the grid and do not change the fields.
fields() { kernel fdtd "$@" 2>&1 >/dev/null | grep -o 'sum of .*'; }
for grid in '33 17 10 single' '17 33 10 double' '9 3 10 double'; do
	one=$(fields $grid 1)
	three=$(fields $grid 3)
	[ "$one" = "$three" ]
done
for threads in 1 3; do
	for name in cg ep ft is mg; do kernel $name S $threads; done
	kernel ep S 1 $threads
	kernel fdtd 33 17 10 single $threads
	kernel fdtd 17 33 10 double $threads
	for name in cg ft is mg; do kernel stream $name S $threads; done
done

# Leaks of the libraries are not ours.
mpi() { ASAN_OPTIONS=detect_leaks=0 mpirun.openmpi --oversubscribe --bind-to none -n "$@"; }
mpi 2 bin/mpi_pingpong.openmpi.checked $plan
mpi 2 bin/mpi_uniband.openmpi.checked ${plan//pingpong/uniband}
mpi 3 bin/mpi_start.openmpi.checked

# Every operation, for numbers of ranks and sizes that do not divide evenly.
coll() {
	: >"$GOBENCH_DIR/gate"
	GOBENCH_CORES='' mpi "$1" bin/mpi_coll.openmpi.checked "$2"
}
cells=barrier:0:5:2
for op in bcast scatter gather allgather alltoall reduce allreduce reduce_scatter; do
	for size in 0 1 8 1023 65540; do cells+=,$op:$size:5:2; done
done
for ranks in 1 3 4; do coll $ranks "$cells" | grep -c '"kind":"point"'; done

# Samples of slowed cores have a row of their own, as those of far cores have.
states() { bin/states_check.checked | grep -o '"median":[^,]*,"n":[0-9]*\|"loop_s":[^,]*\|"state_share":[^,}]*' | tr '\n' ' '; }
[ "$(states)" = '"median":1e-06,"n":40 "loop_s":2e-06 "state_share":0.4 "median":3e-06,"n":30 "loop_s":2e-06 "state_share":0.3 "median":2e-06,"n":30 "loop_s":4e-06 "state_share":0.3 ' ]

# What is wrong must be said, not run.
refused() {
	if "$@" 2>/dev/null; then
		echo "was not refused: $*" >&2
		exit 1
	fi
}
for wrong in '' eight x:8 x:8:1 x:8:0:1 x:8:1:0 x:8:1:1x x:8:1:1,, x:-8:1:1 :8:1:1; do refused bin/tcp_pingpong.checked "$wrong"; done
refused bin/line.checked 0
refused bin/smem_uniband.checked uniband:33:64:1
refused kernel cg Z 1
refused kernel fdtd 0 8 1 single 1
refused kernel fdtd 8 2 1 single 3
refused coll 2 bcast:8
refused coll 2 bcast:8:0:1
refused coll 2 bcast:8:1:0
refused coll 2 sideways:8:1:1
(unset GOBENCH_DIR; refused mpi 2 bin/mpi_coll.openmpi.checked bcast:8:1:1)
# Rank 0 ends with rank 1 where that fails, and not before it has said what it measured where not.
for i in $(seq 20); do [ "$(timeout 20 bin/twins_check.checked 0)" = $'measured\ndone' ]; done
refused bin/twins_check.checked 7
refused bin/twins_check.checked -1
echo "all programs passed"
