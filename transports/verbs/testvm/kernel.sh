#!/usr/bin/env bash
# usage: kernel.sh VMLINUZ VMLINUX: takes the ELF kernel out of a compressed image, because
# decompressing it in the emulated machine takes seconds. QEMU boots it through PVH. An image
# that hides it is used as it is.
set -euo pipefail
image=$1 out=$2

# extract MAGIC COMMAND...: decompress from the first place where the magic bytes are.
extract() {
	local magic=$1 at
	shift
	at=$(LC_ALL=C grep -abom1 -P "$magic" "$image" | head -1 | cut -d: -f1) || return 1
	[ -n "$at" ] || return 1
	tail -c +$((at + 1)) "$image" | "$@" >"$out" 2>/dev/null || true # what follows the kernel is no error
	[ "$(head -c4 "$out" | tail -c3)" = ELF ]
}

extract '\xfd7zXZ\x00' xz -dc --single-stream ||
	extract '\x28\xb5\x2f\xfd' zstd -dc ||
	extract '\x1f\x8b\x08' gzip -dc ||
	cp "$image" "$out"
