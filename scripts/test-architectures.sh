#!/usr/bin/env bash
# Runs a job of two hosts of different architectures: rank 0 here, rank 1 on a host whose processor
# is emulated (qemu-user), to which the program of that architecture is sent. The host is a home
# folder with another uname and a namespace of IPC, by which hosts are told apart; what stands for
# ssh to it runs commands there.
# usage: scripts/test-architectures.sh PROGRAM PROGRAM-OF-ARM64
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "--- left out: a job of two architectures, which emulates arm64 on amd64"; exit 0; }
if [ "${1-}" != inside ]; then
	"$(dirname "$0")/install.sh" qemu-user-static gzip iproute2
	unshare --user --map-root-user --mount mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || {
		echo "--- left out: a job of two architectures, which needs user namespaces and binfmt_misc in them (Linux 6.7)"
		exit 0
	}
	exec unshare --user --map-root-user --mount --net "$0" inside "$(realpath "$1")" "$(realpath "$2")"
fi
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
ip link set lo up
ip link add h0 type veth peer name h1
ip addr add 10.77.0.1/24 dev h0
ip link set h0 up
ip link set h1 up

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/tools" "$work/home"
cp "$2" "$work/bin/gobench"
printf '#!/bin/sh\necho aarch64\n' >"$work/tools/uname"
printf '#!/bin/sh\nexport HOME=%s PATH=%s:$PATH\nunset XDG_CACHE_HOME\nexec unshare --ipc sh -c "$2"\n' "$work/home" "$work/tools" >"$work/login"
chmod +x "$work/tools/uname" "$work/login"
export GOBENCH_PROFILE=none
measured() {
	timeout 120 "$work/bin/gobench" p2p --transport=tcp --sizes=8 --launches=1 --iterations=20 \
		--hosts=localhost,u@emulated --ssh="$work/login" -o "$work/records.jsonl"
}
said=$(measured 2>&1) && { echo "a host whose program is missing was used"; exit 1; }
grep -q 'architecture aarch64.*: put the program of that architecture beside this one, as gobench-linux-arm64$' <<<"$said" || { echo "$said"; exit 1; }
cp "$3" "$work/bin/gobench-linux-arm64"
measured >"$work/table" 2>"$work/said" || { cat "$work/table" "$work/said"; exit 1; }
grep -qE '^ +8 +[0-9]+ ' "$work/table" || { cat "$work/table"; exit 1; }
cmp "$3" "$work/home/.cache/gobench/"*
grep -q '"arch":"arm64"' "$work/records.jsonl"
echo "two architectures: the program of arm64 was sent, and measured with that of amd64"
