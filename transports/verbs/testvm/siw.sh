#!/usr/bin/env bash
# usage: siw.sh TREE VERSION OUT: builds soft-iWARP from Debian's kernel source against the
# headers, both unpacked under TREE and not installed. Debian leaves CONFIG_RDMA_SIW unset.
set -euo pipefail
tree=$1 version=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The packages name each other by absolute paths.
headers=$tree/usr/src/linux-headers-$version
sed -i "s|/usr/src/|$tree/usr/src/|g" "$headers/Makefile"
for folder in "$headers" "$tree"/usr/src/linux-headers-*-common; do
	for name in scripts tools; do
		rm -rf "${folder:?}/$name"
		ln -s "$(echo "$tree"/usr/lib/linux-kbuild-*)/$name" "$folder/$name"
	done
done
tar -C "$work" -xJf "$tree"/usr/src/linux-source-*.tar.xz --wildcards '*/drivers/infiniband/sw/siw/*' --strip-components=5
make -s -C "$headers" M="$work" CONFIG_RDMA_SIW=m modules >"$work/log" 2>&1 || {
	tail -20 "$work/log" >&2
	exit 1
}
strip -g -o "$out" "$work/siw.ko"
