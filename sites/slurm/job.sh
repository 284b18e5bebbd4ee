#!/bin/bash
# Measures between the nodes of an allocation: sbatch sites/slurm/job.sh
#SBATCH --job-name=gobench
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --exclusive
#SBATCH --time=00:15:00
#SBATCH --output=gobench-%j.log
set -euo pipefail

# The command runs once, on the first node of the allocation, and starts its ranks on all nodes by
# srun or ssh. An exit code of 4 means that the limit was exceeded, 5 that it is too noisy to tell.
records=${GOBENCH_RECORDS:-gobench-${SLURM_JOB_ID:-0}.jsonl}
gobench p2p --transport="${GOBENCH_TRANSPORT:-tcp}" --sizes=8,64K,1M --fail-if "half_rtt@8 > ${GOBENCH_LIMIT:-100us}" -o "$records" "$@"
gobench coll --transport="${GOBENCH_TRANSPORT:-tcp}" --op=allreduce,alltoall --sizes=8,64K -o "$records" "$@"
