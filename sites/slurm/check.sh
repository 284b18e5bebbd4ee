#!/bin/bash
# Checks one node in two seconds: latency between two cores over shared memory. For slurm.conf:
#   HealthCheckProgram=/usr/share/gobench/sites/slurm/check.sh
#   HealthCheckInterval=3600
#   HealthCheckNodeState=IDLE
# or as Prolog or Epilog of an exclusive node. It ends with 0 if the node is well, or if the machine
# was too noisy to tell, and with 1 otherwise. It prints the command that would drain the node, and
# never runs it: a rule for many nodes is yours to make.
#
# GOBENCH_LIMIT is the limit (default 5us), GOBENCH the program.
set -uo pipefail
limit=${GOBENCH_LIMIT:-5us}
said=$("${GOBENCH:-gobench}" p2p --transport=smem --sizes=8 --launches=1 --budget=500ms --fail-if "half_rtt > $limit" -o /dev/null 2>&1)
code=$?
case $code in
0 | 5) exit 0 ;;
4) why="latency over shared memory above $limit" ;;
*) why="gobench ended with code $code: $(tail -n 1 <<<"$said")" ;;
esac
echo "$why" >&2
echo "scontrol update NodeName=${SLURMD_NODENAME:-$(uname -n | cut -d. -f1)} State=DRAIN Reason='gobench: ${why//\'/}'"
exit 1
