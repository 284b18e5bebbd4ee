#!/usr/bin/env bash
# Builds static tests for arm64, as make build builds the program, and runs under emulation
# (qemu-user) those of what differs between processors: the protocol, shared memory, sockets and
# collectives, with their atomic operations, operators, and the arithmetic of kernels of class S.
# The emulation does not reorder memory accesses: the order of memory is checked by models
# (docs/notes/weak-memory.md), which do not run again here.
#
# Tests start their own program, so the kernel must know the emulator. This registers it in a user
# namespace, so nothing else on the machine sees it, and no root is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

if [ "${1-}" != inside ]; then
	scripts/install.sh qemu-user-static
	unshare --user --map-root-user --mount mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || {
		echo "--- left out: tests of arm64, which need user namespaces and binfmt_misc in them (Linux 6.7)"
		exit 0
	}
	exec unshare --user --map-root-user --mount "$0" inside
fi
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
mount -t tmpfs none /dev/shm # tests look for files that are left there, and other programs have some
cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register

export GOARCH=arm64 CGO_ENABLED=0 GOEXPERIMENT=simd
# Left out by name: tests without instructions or memory of this processor, and tests with too many
# processes for an emulator.
other='Models|Processes|Methods|ManyRanks|Tables|ForbiddenCMA|ConformanceOfGoroutines'
other+='|VectorForms|BufferedSendsRandomly|GridsAgainstOdometer|DeviceWithFewTagsAndContexts'
run() { go test -short -vet=off -p 1 -timeout 10m "$@"; }
run -skip "^Test($other)\$" ./device/protocol ./transports/smem ./transports/sockets ./sockets ./comm/op \
	./internal/comm/coll/shared
# Of those that run over several transports, the runs in shared memory.
run -skip "^Test($other)\$" -run '^Test/^smem' ./comm
run -run 'TestConformanceOfGoroutines/(no_overtaking|order_of|every_size|allocated|all_to_all|random|cancelled_sends|close_delivers)' \
	./transports/smem
run -run '^Test(ClassSOfEveryKernel|StoredDigests)$' ./kernels/fdtd ./kernels/npb/all
