#!/usr/bin/env bash
# Builds a release twice, in different folders, and compares the files; checks sums, signature, bill
# of materials and manual pages; installs the packages into empty folders, runs the program of each
# and of the archive, and removes them; runs the image as nobody with a read-only root. Programs for
# other processors run under emulation.
#
# usage: scripts/test-release.sh [BUILD...], such as gobench/amd64 gobench-full/amd64; without any,
# all builds: minutes, and the second release is compiled anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
[ "$(id -u)" -eq 0 ] || { echo "left out: tests of a release, which need root for rpm, dpkg and runc"; exit 0; }
scripts/install.sh lintian rpm mandoc minisign zstd jq skopeo umoci runc qemu-user-static busybox-static

all="gobench/amd64 gobench/arm64 gobench/riscv64 gobench/ppc64le gobench-full/amd64 gobench-full/arm64"
builds=${*:-$all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOBENCH_PROFILE=none
version=$(sed -n 's/^## \(v[^,]*\),.*/\1/p' CHANGELOG.md | head -1)
number=${version#v}
fail() { echo "$*" >&2; exit 1; }

# release NAME REPOSITORY builds a release of a clone in a folder of that name.
release() {
	git clone -q "$2" "$work/$1/source"
	make -s -C "$work/$1/source" release VERSION="$version" OUT="$work/$1/dist" ONLY="${builds// /,}" KEY="$work/key"
}
minisign -G -W -p "$work/key.pub" -s "$work/key" >/dev/null
release one .
(
	umask 077
	export TZ=Asia/Tokyo LC_ALL=C TMPDIR="$work/other"
	mkdir "$TMPDIR"
	[ $# -gt 0 ] || export GOCACHE=$TMPDIR/cache
	release two "$work/one/source" # the same commit, whatever happens to this checkout
)
diff -rq --exclude=SHA256SUMS.minisig "$work/one/dist" "$work/two/dist" || fail "the same commit gave other files"
dist=$work/one/dist
echo "reproducible: $(ls "$dist" | wc -l) files"

(cd "$dist" && sha256sum --quiet --check SHA256SUMS && minisign -Vqm SHA256SUMS -p "$work/key.pub")
echo x >>"$work/two/dist/SHA256SUMS"
! minisign -Vqm "$work/two/dist/SHA256SUMS" -p "$work/key.pub" 2>/dev/null || fail "minisign accepts damaged sums"

# tried ARCH PROGRAM runs a program: its version, and a measurement where its processor is this one.
native=$(go env GOARCH)
tried() {
	local run=()
	[ "$1" = "$native" ] || run=("qemu-$(case $1 in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) echo "$1" ;; esac)-static")
	"${run[@]}" "$2" --version | grep -F "gobench version $version " >/dev/null || fail "$2 has not the version $version"
	[ "$1" != "$native" ] || "$2" p2p --sizes=8 --launches=1 --iterations=100 -o /dev/null | grep -E '^ +8 +[0-9]+ +[0-9.]+ ' >/dev/null || fail "$2 measures nothing"
}

for build in $builds; do
	name=${build%/*} arch=${build#*/}
	base=$name-$version-linux-$arch
	tar --zstd -C "$work" -xf "$dist/$base.tar.zst"
	tried "$arch" "$work/$base/bin/$name"
	for page in "$work/$base"/share/man/man1/*.1; do
		said=$(mandoc -T lint -W warning "$page") || fail "$said"
	done
	bash -n "$work/$base/share/bash-completion/completions/gobench"
	grep -q 'Apache License' "$work/$base/share/doc/gobench/LICENSE"
	grep -q '^github.com/spf13/cobra v' "$work/$base/share/doc/gobench/NOTICE"
	jq -e --arg v "$version" '.metadata.component.version == $v and (.components | any(.name == "github.com/spf13/cobra"))' "$dist/$base.cdx.json" >/dev/null
	[ "$name" = gobench-full ] || cp "$work/$base/bin/gobench" "$work/$arch"
	rm -rf "${work:?}/$base"

	deb=$dist/${name}_$number-1_$(case $arch in ppc64le) echo ppc64el ;; *) echo "$arch" ;; esac).deb
	lintian --allow-root --fail-on error,warning "$deb"
	root=$work/deb
	mkdir -p "$root"/var/lib/dpkg/{info,updates}
	: >"$root/var/lib/dpkg/status"
	dpkg --root="$root" --force-architecture --force-depends --log=/dev/null -i "$deb" >/dev/null 2>&1
	tried "$arch" "$root/usr/bin/$name"
	dpkg --root="$root" --log=/dev/null -P "$name" >/dev/null
	[ ! -e "$root/usr" ] || fail "dpkg left files: $(find "$root/usr" -type f | head)"
	rm -rf "$root"

	rpm=$dist/$name-$number-1.$(rpm --eval '%{nil}')$(case $arch in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) echo "$arch" ;; esac).rpm
	rpm --root="$root" --nodeps --ignorearch --ignoreos -i "$rpm"
	tried "$arch" "$root/usr/bin/$name"
	rpm --root="$root" --nodeps -V "$name" >/dev/null || fail "rpm -V $name"
	rpm --root="$root" -qi "$name" | grep -E '^License +: Apache-2.0$' >/dev/null
	rpm --root="$root" --nodeps -e "$name"
	[ ! -e "$root/usr/bin/$name" ] || fail "rpm left its program"
	rm -rf "$root"

	# Debian has no apk: the package is read as its specification says, a control archive and one of
	# the files, whose sum the first has.
	if [ "$name" = gobench ]; then
		apk=$dist/${name}_$number-r1_$(case $arch in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) echo "$arch" ;; esac).apk
		mkdir "$root"
		tar -C "$root" -xzf "$apk" 2>/dev/null
		tried "$arch" "$root/usr/bin/$name"
		grep -qx "pkgver = $number-r1" "$root/.PKGINFO"
		rm -rf "$root"
	fi
	echo "packages: $build"
done

case " $builds " in *" gobench/$native "*)
	# The image is read by another program than the one that wrote it.
	oci=oci-archive:$dist/gobench-$version-oci.tar:$version
	skopeo --override-os linux --override-arch "$native" copy --quiet "$oci" "oci:$work/image:one"
	skopeo inspect --config "oci:$work/image:one" | jq -e --arg v "$version" '.config.User == "65532:65532" and .config.Labels["org.opencontainers.image.version"] == $v' >/dev/null
	for build in $builds; do
		case $build in gobench/*)
			skopeo --override-os linux --override-arch "${build#*/}" inspect --config "$oci" | jq -e --arg a "${build#*/}" '.architecture == $a' >/dev/null ;;
		esac
	done
	tar -xOf "$dist/gobench-$version-oci.tar" index.json | jq -e '.manifests | any(.artifactType == "application/vnd.cyclonedx+json")' >/dev/null
	umoci unpack --image "$work/image:one" "$work/bundle" 2>/dev/null
	jq '.root.readonly = true | .process.terminal = false | .process.args = ["/usr/bin/gobench", "p2p", "--sizes=8", "--launches=1", "--iterations=100"]' \
		"$work/bundle/config.json" >"$work/config.json"
	mv "$work/config.json" "$work/bundle/config.json"
	jq -e '.process.user.uid == 65532' "$work/bundle/config.json" >/dev/null
	runc --root "$work/runc" run --bundle "$work/bundle" "release-$$" >"$work/said" 2>&1 </dev/null || fail "$(cat "$work/said")"
	grep -E '^ +8 +[0-9]+ +[0-9.]+ ' "$work/said" >/dev/null || fail "the image measures nothing: $(cat "$work/said")"
	echo "image: runs as 65532 with a read-only root"

	# A machine with nothing but busybox, and a network of its own: from the address of a release to
	# a table in one command. An apk is a tar archive that gzip has compressed.
	apk=$(basename "$dist"/gobench_"$number"-r1_"$(uname -m)".apk)
	unshare --user --map-root-user --net --mount --pid --fork sh -ec '
		mkdir -p "$1/bin" "$1/proc" "$1/dev" "$1/tmp"
		cp "$(command -v busybox)" "$1/bin/busybox"
		for name in sh wget tar; do ln -s busybox "$1/bin/$name"; done
		mount -t proc none "$1/proc"
		: >"$1/dev/null"
		mount --bind /dev/null "$1/dev/null"
		busybox ip link set lo up
		busybox httpd -p 127.0.0.1:80 -h "$2"
		busybox chroot "$1" /bin/sh -c "cd /tmp && wget -qO- http://127.0.0.1/$3 | tar xz usr/bin/gobench && usr/bin/gobench p2p --sizes=8 --launches=1 --iterations=100"
	' - "$work/bare" "$dist" "$apk" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
	grep -E '^ +8 +[0-9]+ +[0-9.]+ ' "$work/said" >/dev/null || fail "a bare machine measures nothing: $(cat "$work/said")"
	echo "bare machine: measures after one command" ;;
esac

if [ -e "$work/amd64" ] && [ -e "$work/arm64" ]; then
	scripts/test-architectures.sh "$work/amd64" "$work/arm64"
fi
