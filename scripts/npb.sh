#!/usr/bin/env bash
# Builds NPB 3.4 (MPI) from a folder with its source, once for each MPI that has a Fortran compiler,
# into peers/c/bin, for the comparison of configs/rivals/npb.toml. The folder is not changed.
# usage: scripts/npb.sh FOLDER
set -euo pipefail
source=${1:?usage: scripts/npb.sh FOLDER}
[ ! -d "$source/NPB3.4-MPI" ] || source+=/NPB3.4-MPI
[ -f "$source/sys/setparams.c" ] || { echo "$1: not the source of NPB 3.4 (MPI): there is no sys/setparams.c" >&2; exit 2; }
source=$(realpath "$source")
cd "$(dirname "$0")/.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
built=
for mpi in openmpi mpich; do
	command -v mpif90.$mpi mpicc.$mpi >/dev/null || { echo "left out: there is no mpif90.$mpi or mpicc.$mpi"; continue; }
	rm -rf "$build/$mpi"
	cp -r "$source" "$build/$mpi"
	rm -rf "$build/$mpi/bin"
	mkdir "$build/$mpi/bin"
	# NPB passes scalars and arrays to the same argument, which gfortran 10 and later refuse.
	cat >"$build/$mpi/config/make.def" <<-END
		MPIFC = mpif90.$mpi
		FLINK = \$(MPIFC)
		FFLAGS = -O3 -march=native -fallow-argument-mismatch
		FLINKFLAGS = -O3
		MPICC = mpicc.$mpi
		CLINK = \$(MPICC)
		CFLAGS = -O3 -march=native
		CLINKFLAGS = -O3
		CC = cc
		BINDIR = ../bin
		RAND = randi8
	END
	make -s -C "$build/$mpi" clean >/dev/null 2>&1 # the folder may have objects of another compiler
	for kernel in cg.A ep.A ft.A is.A mg.A bt.W lu.W sp.W; do
		make -s -C "$build/$mpi" "${kernel%.*}" CLASS="${kernel#*.}" >"$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }
	done
	rm -rf "peers/c/bin/npb.$mpi"
	mkdir -p peers/c/bin
	cp -r "$build/$mpi/bin" "peers/c/bin/npb.$mpi"
	built+=" $mpi"
done
[ -n "$built" ] || exit 1
echo "built NPB over$built"
