#!/bin/bash
# usage, inside the VM, in the root of the repository: compare.sh GOBENCH LAUNCHES: the sweep of
# configs/rivals/verbs.toml over the soft-RoCE device rxe0. No launch begins after the budget, so
# that a busy machine ends in time. Prints the records.
index=$(grep -l ':0000:ffff:' /sys/class/infiniband/rxe0/ports/1/gids/* | head -1)
sed "s/^gid = .*/gid = \"$(basename "$index")\"/" configs/rivals/verbs.toml >/tmp/verbs.toml
cd /tmp || exit 1
"$1" sweep verbs.toml --launches="$2" --budget=${GOBENCH_VM_BUDGET:-600s} -o records.jsonl >&2
code=$?
cat records.jsonl
exit $code
