#!/usr/bin/env bash
# Builds NPB 3.4 (MPI) over Open MPI from a folder with its source into peers/c/bin/npb, for the
# comparison of configs/rivals/npb.toml. The folder is not changed.
# usage: scripts/npb.sh FOLDER
set -euo pipefail
source=${1:?usage: scripts/npb.sh FOLDER}
[ ! -d "$source/NPB3.4-MPI" ] || source+=/NPB3.4-MPI
[ -f "$source/sys/setparams.c" ] || { echo "$1: not the source of NPB 3.4 (MPI): there is no sys/setparams.c" >&2; exit 2; }
source=$(realpath "$source")
cd "$(dirname "$0")/.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp -r "$source/." "$build"
rm -rf "$build/bin"
mkdir "$build/bin"
# NPB passes scalars and arrays to the same argument, which gfortran 10 and later refuse.
cat >"$build/config/make.def" <<'END'
MPIFC = mpif90.openmpi
FLINK = $(MPIFC)
FFLAGS = -O3 -march=native -fallow-argument-mismatch
FLINKFLAGS = -O3
MPICC = mpicc.openmpi
CLINK = $(MPICC)
CFLAGS = -O3 -march=native
CLINKFLAGS = -O3
CC = cc
BINDIR = ../bin
RAND = randi8
END
log=$(mktemp)
trap 'rm -rf "$build" "$log"' EXIT
make -s -C "$build" clean >"$log" 2>&1 # the folder may have objects of another compiler
for kernel in cg.A ep.A ft.A is.A mg.A bt.W lu.W sp.W; do
	make -s -C "$build" "${kernel%.*}" CLASS="${kernel#*.}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
done
rm -rf peers/c/bin/npb
mkdir -p peers/c/bin
cp -r "$build/bin" peers/c/bin/npb
