#!/usr/bin/env bash
# The transport mpi under the launchers of Open MPI and MPICH, and with the standard ABI, emulated
# over MPICH: the conformance suite, dead ranks, messages, collectives, whose data gobench checks,
# kernels, and launchers that do not fit. Libraries that cannot be installed are left out and named.
set -eEuo pipefail
trap 'echo "$0, line $LINENO: exit code $?: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
export GOEXPERIMENT=simd # as make build-full has it
make -s build-full >/dev/null
CGO_ENABLED=1 go test -tags mpi -vet=off -count=1 ./transports/mpi/... | grep -v 'no test files'
# Ranks that meet by libpmix, between hosts of the lab, and by an emulator of Cray's libpmi.
CGO_ENABLED=1 go test -tags pmix -vet=off -count=1 -run Bridge ./launch/rendezvous

gobench=bin/gobench-full
tried=0
run() {
	local name=$1 launcher=$2
	command -v "${launcher%% *}" >/dev/null || { echo "left out: $name is not installed"; return; }
	tried=$((tried + 1))
	while read -r n what; do
		# Our collectives and kernels only send messages, which the other commands do over the ABI.
		[[ -z ${GOBENCH_MPI_ABI-} || ! $what =~ ^(npb|fdtd|coll.*algo=all|coll.*auto) ]] || continue
		echo "$name, $n ranks: $what"
		timeout 180 $launcher -n "$n" $gobench $what --transport=mpi --launches=1 -o /dev/null >/dev/null </dev/null
	done <<-END
		2 p2p --sizes=0,8,64K,1M --iterations=50
		2 p2p --level=raw --sizes=8 --iterations=50
		2 p2p --level=comm --bench=exchange,uniband --sizes=8 --iterations=50
		2 p2p --level=comm --bench=put,get,accumulate,get_accumulate,fetch_and_op,compare_and_swap,put_biband --epoch=flush,lock,fence,pscw --sizes=8,64K --iterations=20
		2 coll --op=all --algo=mpi --sizes=64K --iterations=20
		3 coll --op=all --algo=mpi,auto --sizes=48 --iterations=10 --check=strict
		3 coll --op=reduce_scatter --algo=all --sizes=16 --iterations=10
		2 coll --op=bcast,allreduce --algo=mpi --overlap --sizes=1K --iterations=10 --set wait=yield
		1 npb is --class=S --repeat=1
		2 npb cg --class=S --repeat=1
		3 fdtd --steps=3 --repeat=1
	END
}
# planned NAME LAUNCHER fails unless a dry run below the launcher prints one plan and measures
# nothing.
planned() {
	local said
	command -v "${2%% *}" >/dev/null || return 0
	said=$(timeout 180 $2 -n 2 $gobench p2p --transport=mpi --dry-run -o /dev/null </dev/null)
	[[ $(grep -c '^ranks ' <<<"$said") = 1 && $said != *usec* ]] || { echo "a dry run below $1: $said" >&2; exit 1; }
}
# stopped NAME LAUNCHER fails unless a rank that waits in the library for a stopped one ends soon
# after SIGTERM, and has kept its records.
stopped() {
	local file pid begun
	command -v "${2%% *}" >/dev/null || return 0
	file=$(mktemp)
	$2 -n 2 $gobench p2p --sizes=8 --transport=mpi --launches=10000 -o "$file" >/dev/null 2>&1 </dev/null &
	pid=$!
	until grep -q '"kind":"point"' "$file"; do
		kill -0 $pid 2>/dev/null || { echo "$1: the job ended before its first point" >&2; exit 1; }
		sleep 0.05
	done
	kill -STOP "$(pgrep -n -f -- "-o $file")"
	kill -TERM $pid
	begun=$SECONDS
	wait $pid || true
	[ $((SECONDS - begun)) -le 6 ] || { echo "$1: a rank that waits for a stopped one ended after $((SECONDS - begun)) s" >&2; exit 1; }
	[[ $($gobench show --full "$file") == *usec* ]] || { echo "$1: the records of interrupted ranks are lost" >&2; exit 1; }
	rm "$file"
}
run MPICH mpiexec.hydra
stopped MPICH mpiexec.hydra
planned MPICH mpiexec.hydra
run "Open MPI" "mpirun.openmpi --allow-run-as-root --oversubscribe"
stopped "Open MPI" "mpirun.openmpi --allow-run-as-root --oversubscribe"
planned "Open MPI" "mpirun.openmpi --allow-run-as-root --oversubscribe"
if command -v mpicc.mpich >/dev/null; then
	emulator=$(mktemp -d)
	trap 'rm -rf "$emulator"' EXIT
	scripts/mpi.sh --emulator "$emulator"
	export LD_LIBRARY_PATH=$emulator GOBENCH_MPI_ABI=standard
	run "the standard ABI" mpiexec.hydra
	# Where the library has no threads, operations that overlap are driven by the rank itself.
	GOBENCH_MPI_EMULATOR_SINGLE=1 timeout 180 mpiexec.hydra -n 2 $gobench coll --transport=mpi --op=bcast --algo=flat,chain --overlap --sizes=1K --iterations=10 \
		--launches=1 -o "$emulator/single.jsonl" >/dev/null </dev/null
	grep -q '"thread":"single"' "$emulator/single.jsonl" || { echo "MPI_THREAD_SINGLE is not recorded" >&2; exit 1; }
	unset LD_LIBRARY_PATH GOBENCH_MPI_ABI
fi
[ $tried -gt 0 ] || { echo "no MPI is installed: nothing was tested"; exit 0; }

# refused WORDS COMMAND... fails unless the command fails and says so.
refused() {
	local words=$1 said
	shift
	if said=$(timeout 180 "$@" p2p --transport=mpi --sizes=8 --launches=1 -o /dev/null 2>&1) || [[ $said != *"$words"* ]]; then
		echo "want an error with \"$words\" from $*: $said" >&2
		exit 1
	fi
}
refused "launcher of its library starts" $gobench
if command -v mpirun.openmpi >/dev/null; then
	# As if mpiexec of another library had started two processes, each of which finds itself alone.
	refused "each rank would be a job of its own" env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 $gobench
	refused "two launchers" mpirun.openmpi --allow-run-as-root --oversubscribe -n 1 -x PMI_RANK=0 -x PMI_SIZE=1 $gobench
fi
