package main

import (
	"context"
	"os"
	"path/filepath"
)

// sharedMemory returns the programs over shared memory.
func sharedMemory(s settings) []program {
	const g = "smem"
	return []program{
		gobench(s, "gobench device", g, subject, "device", sharedSizes),
		gobench(s, "gobench raw", g, raw, "raw", sharedSizes),
		mpiProgram(s, "Open MPI", g, sharedSizes, openMPI, nil, vader...),
		mpiProgram(s, "Open MPI no CMA", g, sharedSizes, openMPI, nil, noCMA...),
		mpiProgram(s, "Open MPI UCX", g, sharedSizes, openMPI, nil, overUCX...),
		mpiProgram(s, "MPICH", g, sharedSizes, mpich, nil),
		sharedLine(s, "C line", g),
		cProgram(s, "bare readv", g, bare, sharedSizes, "vm_pingpong", "read"),
		cProgram(s, "bare split", g, bare, sharedSizes, "vm_pingpong", "split"),
	}
}

// overTCP returns the programs over the loopback interface.
func overTCP(s settings) []program {
	const g = "tcp"
	return []program{
		gobench(s, "gobench device", g, subject, "device", tcpSizes),
		gobench(s, "gobench raw", g, raw, "raw", tcpSizes),
		mpiProgram(s, "Open MPI", g, tcpSizes, openMPI, nil, btlTCP...),
		mpiProgram(s, "Open MPI UCX", g, tcpSizes, openMPI, tcpOnly, overUCX...),
		mpiProgram(s, "MPICH", g, tcpSizes, mpich, tcpOnly),
		cProgram(s, "C polled", g, bare, tcpSizes, "tcp_pingpong", "poll"),
		cProgram(s, "C blocking", g, bare, tcpSizes, "tcp_pingpong", "block"),
		netPIPE(s, "NetPIPE", g, tcpSizes),
	}
}

// mpiProgram returns our MPI ping-pong linked to a library, with the given options.
func mpiProgram(s settings, name, group string, sizes []int, l library, env []string, options ...string) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		folder, err := os.MkdirTemp("", "peers")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		env := append([]string{"PEERS_CORES=" + coreList(cores), "PEERS_LINE=" + filepath.Join(folder, "line")}, env...)
		args := l.launch(2, options, filepath.Join(s.c, "mpi_pingpong"), s.plan.sizes(group, sizes))
		out, err := command(ctx, append(env, asRoot...), args...)
		if err != nil {
			return nil, err
		}
		return readPoints(out)
	}
	return program{name, group, mpi, sizes, l.needs(s, "mpi_pingpong"), run}
}
