package main

import (
	"context"
	"os"
	"path/filepath"
)

// The launchers, with binding left to our program.
var (
	openMPI = []string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2"}
	mpich   = []string{"mpiexec.mpich", "-bind-to", "none", "-n", "2"}
)

// asRoot lets Open MPI run in containers, where everything is root.
var asRoot = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}

// sharedMemory lists what is compared over shared memory.
func sharedMemory(s settings) []program {
	const g = "smem"
	return []program{
		gobench(s, "gobench device", g, subject, "device", sharedSizes),
		gobench(s, "gobench raw", g, raw, "raw", sharedSizes),
		mpiProgram(s, "Open MPI", g, sharedSizes, openMPI, "openmpi", nil,
			"--mca", "pml", "ob1", "--mca", "btl", "self,vader"),
		mpiProgram(s, "Open MPI no CMA", g, sharedSizes, openMPI, "openmpi", nil,
			"--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"),
		mpiProgram(s, "Open MPI UCX", g, sharedSizes, openMPI, "openmpi", nil,
			"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"),
		mpiProgram(s, "MPICH", g, sharedSizes, mpich, "mpich", nil),
		sharedLine(s, "C line", g),
		cProgram(s, "bare readv", g, bare, sharedSizes, "vm_pingpong", "read"),
		cProgram(s, "bare split", g, bare, sharedSizes, "vm_pingpong", "split"),
	}
}

// overTCP lists what is compared over the loopback interface.
func overTCP(s settings) []program {
	const g = "tcp"
	tcpOnly := []string{"UCX_TLS=tcp,self"}
	return []program{
		gobench(s, "gobench device", g, subject, "device", tcpSizes),
		gobench(s, "gobench raw", g, raw, "raw", tcpSizes),
		mpiProgram(s, "Open MPI", g, tcpSizes, openMPI, "openmpi", nil,
			"--mca", "pml", "ob1", "--mca", "btl", "self,tcp"),
		mpiProgram(s, "Open MPI UCX", g, tcpSizes, openMPI, "openmpi", tcpOnly,
			"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"),
		mpiProgram(s, "MPICH", g, tcpSizes, mpich, "mpich", tcpOnly),
		cProgram(s, "C polled", g, bare, tcpSizes, "tcp_pingpong", "poll"),
		cProgram(s, "C blocking", g, bare, tcpSizes, "tcp_pingpong", "block"),
		netPIPE(s, "NetPIPE", g, tcpSizes),
	}
}

// mpiProgram is our MPI ping-pong under one launcher with its options.
func mpiProgram(s settings, name, group string, sizes []int, launcher []string, library string, env []string, options ...string) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		folder, err := os.MkdirTemp("", "peers")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		env := append([]string{"PEERS_CORES=" + coreList(cores), "PEERS_LINE=" + filepath.Join(folder, "line")}, env...)
		var args []string
		args = append(args, launcher...)
		args = append(args, options...)
		args = append(args, filepath.Join(s.c, "mpi_pingpong."+library), sizeList(sizes), timed)
		out, err := command(ctx, append(env, asRoot...), args...)
		if err != nil {
			return nil, err
		}
		return readPoints(out)
	}
	return program{name, group, mpi, sizes, run}
}
