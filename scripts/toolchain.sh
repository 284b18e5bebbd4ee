# Sourced by the Makefile and by scripts that call go, in the root of the repository: selects the
# toolchain of go.mod, newer or older than the go that is installed. Otherwise a go command whose
# settings say GOTOOLCHAIN=local builds with itself, and another release has no vector loops. The
# environment variable GOTOOLCHAIN decides if it is set.
if [ -z "${GOTOOLCHAIN-}" ]; then
	GOTOOLCHAIN=$(awk '$1 == "toolchain" { print $2 }' go.mod)
	if GOTOOLCHAIN=$GOTOOLCHAIN go env GOVERSION >/dev/null; then
		export GOTOOLCHAIN
	else
		echo "$GOTOOLCHAIN, the toolchain of go.mod, cannot be had: the installed $(GOTOOLCHAIN=local go env GOVERSION) is used" >&2
		export GOTOOLCHAIN=local
	fi
fi
