#!/usr/bin/env bash
# usage: initramfs.sh DIR: packs busybox and the modules of DIR/tree (and DIR/siw.ko) into
# DIR/initrd.gz. Its init mounts this machine's root over 9p, under a layer in memory that takes
# what is written, and goes on with guest.sh.
set -euo pipefail
dir=$1
version=$(cat "$dir/version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{bin,dev,proc,sys,modules,later,mnt/lower,mnt/rw,newroot}
cp /bin/busybox "$work/bin/"
for name in sh mount mkdir cat cp insmod switch_root poweroff echo sed; do ln -s busybox "$work/bin/$name"; done

depmod -b "$dir/tree" "$version"
# crc32 goes before rdma_rxe, which looks for it when it is loaded.
later="sctp vsock_loopback smc smc_diag" # families of sockets: /vm-modules in the guest, in the order of its file order
wanted="virtio_pci virtio_net 9pnet_virtio 9p overlay veth dummy sch_netem crc32c_generic crc32_generic libcrc32c rdma_rxe rdma_ucm ib_umad"

# modules FOLDER NAME...: unpacks modules and what they depend on, but for those unpacked before,
# and lists them in order.
modules() {
	local folder=$1 module path name
	shift
	for module; do
		modprobe -d "$dir/tree" -S "$version" --show-depends "$module" 2>/dev/null || { echo "the kernel package has no module $module" >&2; exit 1; }
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		name=$(basename "${path%.xz}")
		[ ! -f "$work/modules/$name" ] || continue
		case $path in
		*.xz) xz -dc "$path" ;;
		*) cat "$path" ;;
		esac >"$work/$folder/$name"
		echo "$name"
	done
}
modules modules $wanted >"$work/order"
modules later $later >"$work/later/order"
if [ -f "$dir/siw.ko" ]; then
	cp "$dir/siw.ko" "$work/modules/"
	echo siw.ko >>"$work/order"
fi

cat >"$work/init" <<'INIT'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read module; do insmod /modules/$module || echo "vm: insmod $module failed"; done </order
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=1048576,cache=loose hostroot /mnt/lower || { echo "vm: the root file system cannot be mounted"; poweroff -f; }
mount -t tmpfs tmpfs /mnt/rw
mkdir -p /mnt/rw/up/vm-modules /mnt/rw/work
cp /later/* /mnt/rw/up/vm-modules/
mount -t overlay overlay -o lowerdir=/mnt/lower,upperdir=/mnt/rw/up,workdir=/mnt/rw/work /newroot
for folder in proc sys dev; do mkdir -p /newroot/$folder; mount -o move /$folder /newroot/$folder; done
exchange=$(sed -n 's/.*vmdir=\([^ ]*\).*/\1/p' /newroot/proc/cmdline)
exec switch_root /newroot "$exchange/guest.sh"
INIT
chmod +x "$work/init"
(cd "$work" && find . -print0 | cpio --null -o -H newc --quiet) | gzip -1 >"$dir/initrd.gz"
