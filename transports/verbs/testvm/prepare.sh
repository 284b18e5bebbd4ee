#!/usr/bin/env bash
# Makes ready what exec.sh boots, in a cache: Debian's stock kernel, its RDMA modules, soft-iWARP
# built for it, and an initramfs. Needs apt, but neither root nor /dev/kvm once the tools are
# there. Prints the folder. Exit code 77: this machine's apt has no such kernel.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gobench/verbs-vm
PATH=$PATH:/usr/sbin:/sbin

missing() { echo "verbs test VM: $*" >&2; exit 77; }
[ "$(uname -m)" = x86_64 ] || missing "the VM is for x86_64, this machine is $(uname -m)"
command -v apt-get >/dev/null || missing "there is no apt-get here to fetch Debian's kernel with"

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

# The newest real package behind the meta package. The cloud flavour has no soft-RoCE.
newest() { apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends:/ { print $2; exit }'; }
package=$(newest)
if [ -z "$package" ] && [ "$(id -u)" = 0 ]; then # a fresh machine has no package lists
	apt-get -qq update >&2 || true
	package=$(newest)
fi
case $package in
linux-image-[0-9]*) ;;
*) missing "apt knows no package linux-image-amd64; try apt-get update, or a Debian machine" ;;
esac
version=${package#linux-image-}
version=${version%-unsigned}
# what is cached follows the scripts
recipe=$(cd "$here" && cat prepare.sh kernel.sh siw.sh initramfs.sh | sha256sum | cut -c1-12)
dir=$cache/$version-$recipe
if [ -f "$dir/ready" ]; then
	touch "$dir"
	echo "$dir"
	exit 0
fi

rm -rf "$dir"
mkdir -p "$dir/packages" "$dir/tree"
download() { (cd "$dir/packages" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@" >&2); }
unpack() { for name; do dpkg-deb -x "$dir/packages/${name}"_*.deb "$dir/tree"; rm "$dir/packages/${name}"_*.deb; done; }

echo "verbs test VM: fetching $package" >&2
download "$package" || missing "apt could not download $package"
unpack "$package"
echo "$version" >"$dir/version"
find "$dir/tree" -name 'rdma_rxe.ko*' | grep -q . || missing "$package has no module rdma_rxe"
"$here/kernel.sh" "$dir/tree/boot/vmlinuz-$version" "$dir/vmlinux"

# Debian builds no soft-iWARP, so without headers and source the VM has soft-RoCE alone.
series=$(cut -d. -f1,2 <<<"$version")
headers=("linux-headers-$version" "linux-headers-${version%-amd64}-common" "linux-kbuild-$series" "linux-source-$series")
if download "${headers[@]}" && unpack "${headers[@]}" && "$here/siw.sh" "$dir/tree" "$version" "$dir/siw.ko"; then
	rm -rf "$dir/tree/usr"
else
	echo "verbs test VM: soft-iWARP could not be built for $version: only soft-RoCE is tested" >&2
	rm -f "$dir/siw.ko"
fi
"$here/initramfs.sh" "$dir"
rm -rf "$dir/packages" "$dir/tree"
# What another kernel or recipe has left, and nobody has used for a week.
find "$cache" -mindepth 1 -maxdepth 1 -type d -mtime +7 -exec rm -rf {} +
touch "$dir/ready"
echo "$dir"
