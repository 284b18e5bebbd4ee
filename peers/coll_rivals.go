package main

import "slices"

// tuned appends names and values as parameters of Open MPI.
func tuned(base []string, pairs ...string) []string {
	options := slices.Clip(base)
	for i := 0; i+1 < len(pairs); i += 2 {
		options = append(options, "--mca", pairs[i], pairs[i+1])
	}
	return options
}

// collsOverMemory returns the configurations over shared memory: the libraries with default
// settings, and with the fastest settings found. Open MPI's component sm, which works in shared
// memory without messages, is off by default; it is fastest with 4 segments of 64 KiB.
func collsOverMemory(s settings) []collProgram {
	const g = "smem"
	return []collProgram{
		gobenchColl(s, g),
		mpiColl(s, "Open MPI", g, openMPI, nil, vader...),
		mpiColl(s, "Open MPI no CMA", g, openMPI, nil, noCMA...).with(usual),
		mpiColl(s, "Open MPI UCX", g, openMPI, nil, overUCX...).with(usual),
		mpiColl(s, "Open MPI sm", g, openMPI, nil, tuned(vader, "coll_sm_priority", "90",
			"coll_sm_fragment_size", "65536", "coll_sm_comm_num_segments", "4")...).with(searched),
		mpiColl(s, "Open MPI UCX forced", g, openMPI, nil, tuned(overUCX, "coll_tuned_use_dynamic_rules", "1",
			"coll_tuned_scatter_algorithm", "3", "coll_tuned_gather_algorithm", "2", "coll_tuned_allgather_algorithm", "3",
			"coll_tuned_alltoall_algorithm", "1", "coll_tuned_reduce_algorithm", "1", "coll_tuned_reduce_scatter_algorithm", "3")...).with(searched),
		mpiColl(s, "MPICH", g, mpich, nil),
		mpiColl(s, "MPICH flat", g, mpich, flat).with(usual),
	}
}

// collsOverTCP returns the configurations over the loopback interface. "eager" sends 64 KiB
// eagerly, which is above the default limits of the libraries.
func collsOverTCP(s settings) []collProgram {
	const g = "tcp"
	eager := append(slices.Clip(tcpOnly), "UCX_RNDV_THRESH=256k")
	return []collProgram{
		gobenchColl(s, g),
		mpiColl(s, "Open MPI", g, openMPI, nil, btlTCP...),
		mpiColl(s, "Open MPI eager", g, openMPI, nil, tuned(btlTCP, "btl_tcp_if_include", "lo",
			"btl_tcp_eager_limit", "131072", "btl_tcp_sndbuf", "4194304", "btl_tcp_rcvbuf", "4194304")...).with(searched),
		mpiColl(s, "Open MPI UCX", g, openMPI, tcpOnly, overUCX...).with(usual),
		mpiColl(s, "Open MPI UCX eager", g, openMPI, append(slices.Clip(eager), "UCX_TCP_SNDBUF=4m", "UCX_TCP_RCVBUF=4m",
			"UCX_TCP_TX_SEG_SIZE=128k", "UCX_TCP_RX_SEG_SIZE=128k"), overUCX...).with(searched),
		mpiColl(s, "MPICH", g, mpich, tcpOnly),
		mpiColl(s, "MPICH flat", g, mpich, slices.Concat(tcpOnly, flat)).with(usual),
		mpiColl(s, "MPICH flat eager", g, mpich, slices.Concat(eager, flat)).with(searched),
	}
}

// flat disables MPICH's two-level collectives (within and between hosts), because there is only one
// host.
var flat = []string{"MPIR_CVAR_ENABLE_SMP_COLLECTIVES=0"}
