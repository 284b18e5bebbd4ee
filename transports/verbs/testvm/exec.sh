#!/usr/bin/env bash
# usage: exec.sh PROGRAM [ARG...]: runs a program of this machine inside a VM that has soft RDMA
# devices (guest.sh lists them), and ends with its exit code. Made for go test -exec. No root, no
# /dev/kvm: QEMU emulates the processor, and the guest sees this machine's files read-only, but
# for the folder of the program where that is go test's scratch. Exit code 77: it cannot be
# booted here, 125: the guest died.
#
# GOBENCH_VM_CPUS (2), GOBENCH_VM_MEMORY (1G), GOBENCH_VM_TIMEOUT (300 s) and GOBENCH_VM_FOLDER
# (what prepare.sh printed) may be set. With GOBENCH_VM_PAIR=1:FOLDER or 2:FOLDER it is one of two
# machines that are joined by two cables, sockets in the folder; guest.sh lists their addresses.
# exec.sh ends the machine without a word to it when exec.sh itself is ended, like a power cut.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${GOBENCH_VM_FOLDER:-$("$here/prepare.sh")} || exit $?
program=$(command -v "$1") || { echo "exec.sh: there is no program $1" >&2; exit 127; }
program=$(readlink -f "$program")
shift

exchange=$(mktemp -d -t gobenchvm.XXXXXX)
qemu= tail=
cleanup() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null
	rm -rf "$exchange"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
chmod 755 "$exchange"
shared=none
case $program in */go-build*/*) shared=$(dirname "$program") ;; esac
{
	printf 'cd %q\n' "$PWD"
	export -p | grep -aE '^declare -x (GO[A-Z]*|GOBENCH_[A-Z_]*|TEST_[A-Z_]*|VERBS_[A-Z_]*|HOME|PATH)='
	printf 'exec %q' "$program"
	[ $# -eq 0 ] || printf ' %q' "$@"
	echo
} >"$exchange/command"
cp "$here/guest.sh" "$exchange/guest.sh"
chmod 755 "$exchange/guest.sh"
: >"$exchange/out"

folders=()
folder() { # TAG PATH [OPTION]
	folders+=(-fsdev "local,id=$1,path=$2,security_model=none${3:-}" -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}
folder hostroot / ,readonly=on,multidevs=remap
folder exchange "$exchange"
[ "$shared" = none ] || folder shared "$shared"

pair=${GOBENCH_VM_PAIR:-} cables=()
side=${pair%%:*} sockets=${pair#*:}
if [ -n "$pair" ]; then
	for n in 0 1; do
		cables+=(-netdev "dgram,id=cable$n,local.type=unix,local.path=$sockets/$side.$n,remote.type=unix,remote.path=$sockets/$((3 - side)).$n"
			-device "virtio-net-pci,netdev=cable$n,host_mtu=9000,mac=52:54:00:00:0$n:0$side")
	done
fi

# The emulator moves bytes one by one for rep movsb and calls a function for each AVX instruction:
# without these, data goes through the guest two to three times as fast.
processor=qemu64,+cx16,+ssse3,+sse4.1,+sse4.2,+popcnt
# What a kernel need not do here: clear what it allocates, check copies, and give each process other
# addresses, for which the emulator translates code anew. String instructions are done step by step,
# so the kernel is to use others (docs/notes/tests.md).
kernel="init_on_alloc=0 hardened_usercopy=off norandmaps clearcpuid=rep_good"
timeout -k 5 "${GOBENCH_VM_TIMEOUT:-300}" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu "$processor" \
	-smp "${GOBENCH_VM_CPUS:-2}" -m "${GOBENCH_VM_MEMORY:-1G}" -display none -nodefaults -no-reboot \
	-serial "file:$exchange/console" -monitor none -kernel "$dir/vmlinux" -initrd "$dir/initrd.gz" \
	-append "$kernel console=ttyS0 quiet panic=-1 oops=panic mitigations=off nokaslr random.trust_cpu=1 tsc=reliable vmdir=$exchange rwdir=$shared vmside=$side" \
	"${folders[@]}" "${cables[@]}" </dev/null &
qemu=$!
tail -n +1 -f --pid=$qemu -s .1 "$exchange/out" &
tail=$!
wait $qemu
ended=$?
qemu=
wait $tail
if [ -s "$exchange/complaints" ]; then
	echo "--- the guest's kernel complains:" >&2
	cat "$exchange/complaints" >&2
fi
[ -s "$exchange/code" ] && exit "$(cat "$exchange/code")"
echo "exec.sh: the guest died without a result (QEMU ended with $ended); its last words:" >&2
tail -40 "$exchange/console" >&2
exit 125
