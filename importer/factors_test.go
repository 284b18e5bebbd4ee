package importer

import (
	"strings"
	"testing"

	"gobench/record"
)

// What a log states about one-sided operations separates results: how they are completed, how the
// window was created, and the kinds of memory of both ranks.
func TestFactorsOfOneSidedOperations(t *testing.T) {
	put := func(library, lines string) string {
		return "# OSU MPI_Put" + library + " Latency Test v7.4\n" + lines + "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n32   1.25\n"
	}
	for name, c := range map[string]struct{ log, options, memory string }{
		"flush":   {put("", "# Window creation: MPI_Win_allocate\n# Synchronization: MPI_Win_flush\n"), "epoch=flush window=MPI_Win_allocate", ""},
		"fence":   {put("", "# Window creation: MPI_Win_create\n# Synchronization: MPI_Win_fence\n"), "epoch=fence window=MPI_Win_create", ""},
		"memory":  {put("-CUDA", "# Synchronization: MPI_Win_flush\n# Rank 0 Memory on HOST (H) and Rank 1 Memory on DEVICE (D)\n"), "epoch=flush", "host to cuda"},
		"host":    {put("-CUDA", "# Synchronization: MPI_Win_flush\n# Rank 0 Memory on HOST (H) and Rank 1 Memory on HOST (H)\n"), "epoch=flush", ""},
		"IMB-EXT": {"#    Intel(R) MPI Benchmarks 2019 Update 5, MPI-2 part\n" + imbPut, "epoch=fence", ""},
		"IMB-RMA": {"#    Intel(R) MPI Benchmarks 2019 Update 5, RMA part\n" + imbPut, "epoch=flush", ""},
	} {
		p := points(t, c.log, Given{})[0]
		if got := record.OptionsText(p.Options); p.Bench != "put" || got != c.options || p.MemoryKind != c.memory || p.Memory == "heap" != (c.memory == "") {
			t.Errorf("%s: %s %q, memory %q %q", name, p.Bench, got, p.MemoryKind, p.Memory)
		}
	}
}

const imbPut = "# Benchmarking Unidir_put\n# #processes = 2\n#    MODE: NON-AGGREGATE\n#bytes #repetitions t[usec] Mbytes/sec\n64 100 3.20 20.00\n"

// The threads of NPB 2.3 have another name. The variant of a program without MPI is in its title.
func TestThreadsAndVariantOfNPB(t *testing.T) {
	for name, c := range map[string]struct {
		title, lines, variant string
		threads               int
	}{
		"2.3":            {"NAS Parallel Benchmarks 2.3 OpenMP C version - EP Benchmark", " Threads         =                        6\n", "omp", 6},
		"OMP":            {"NAS Parallel Benchmarks (NPB3.4-OMP) - EP Benchmark", " Total threads   =                        1\n", "omp", 1},
		"OMP of unknown": {"NAS Parallel Benchmarks (NPB3.4-OMP) - EP Benchmark", "", "omp", 0},
		"SER":            {"NAS Parallel Benchmarks (NPB3.4-SER) - EP Benchmark", "", "ser", 1},
		"MPI":            {"NAS Parallel Benchmarks 3.4 -- EP Benchmark", " Total processes =                        1\n", "", 1},
		"no title":       {"", "", "", 1},
	} {
		log := " " + c.title + "\n\n EP Benchmark Completed.\n Class = S\n" + c.lines + " Time in seconds = 2.50\n Mop/s total = 20.00\n Verification = SUCCESSFUL\n"
		p := points(t, log, Given{})[0]
		if p.Threads != c.threads || p.Options["variant"] != c.variant {
			t.Errorf("%s: %d threads, %v", name, p.Threads, p.Options)
		}
	}
}

// IMB for GPUs has its buffers where -mem_alloc_type says, else on the device.
func TestMemoryOfIMBForGPUs(t *testing.T) {
	table := "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n64 1000 16.00 4.00\n"
	for head, want := range map[string]string{
		"#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part (GPU)\n":                                  "device",
		"# Calling sequence was:\n\n# IMB-MPI1-GPU -mem_alloc_type shared PingPong\n":              "shared",
		"# Calling sequence was:\n\n# /opt/imb/IMB-MPI1-GPU -mem_alloc_type cpu PingPong\n":        "",
		"#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part\n# Calling sequence was:\n\n# IMB-MPI1\n": "",
	} {
		p := points(t, head+table, Given{})[0]
		if host := want == ""; p.MemoryKind != want || p.Memory == "heap" != host || p.Cache == "warm" != host {
			t.Errorf("%q: memory %q %q, cache %q", strings.TrimSpace(head), p.MemoryKind, p.Memory, p.Cache)
		}
	}
}

// Titles of OSU: of old and beta releases, of libraries beside MPI, and of kinds of memory.
func TestTitlesOfReleasesOfOSU(t *testing.T) {
	for title, want := range map[string]string{
		"MPI Latency Test (Version 2.2)":            "pingpong OSU  v2.2",
		"MPI Latency Test v7.1rc2":                  "pingpong OSU  v7.1rc2",
		"MPI Latency Test":                          "pingpong OSU  v",
		"MPI-CXL Latency Test v7.5":                 "pingpong OSU cxl to cxl v7.5",
		"NCCL-CUDA Allreduce Latency Test v7.5":     "allreduce NCCL cuda to cuda v7.5",
		"RCCL-ROCM Broadcast Latency Test v7.5":     "bcast RCCL rocm to rocm v7.5",
		"MPI-CUDA Allgather Latency Test v7.5":      "allgather OSU cuda to cuda v7.5",
		"XCCL-CUDA Reduce_scatter Latency Test v7.": "reduce_scatter XCCL cuda to cuda v7.",
	} {
		launches := all(t, "# OSU "+title+"\n# Size       Avg Latency(us)\n64   2.75\n", Given{Ranks: 4})
		p := launches[0].Points[0]
		_, version, _ := strings.Cut(launches[0].Run.Program.(map[string]any)["version"].(string), "OSU")
		if got := strings.Join([]string{p.Bench, p.Library, p.MemoryKind, "v" + strings.TrimSpace(version)}, " "); got != want {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
	named := all(t, "NCCL version 2.19.4+cuda12.1\n# OSU NCCL-CUDA Allreduce Latency Test v7.5\n# Size       Avg Latency(us)\n64   2.75\n", Given{Ranks: 4})
	if got := named[0].Points[0].Library; got != "NCCL 2.19.4+cuda12.1" {
		t.Errorf("library %q", got)
	}
}

// The command line of OSU, where a log has it, states the ranks and the window. Without one the
// window is not known.
func TestWhatTheCommandLineOfOSUStates(t *testing.T) {
	bw := "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n16   24.50\n"
	bcast := "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n16   2.75\n"
	for name, c := range map[string]struct {
		log           string
		ranks, window int
	}{
		"no command":       {bw, 2, 0},
		"a sentence":       {"now osu_bw -W 4 runs\n" + bw, 2, 0},
		"set -x":           {"+ mpirun -np 2 ./osu_bw -W 4\n" + bw, 2, 4},
		"a prompt":         {"u@n1:~$ mpiexec -n 2 /opt/osu/osu_bw --window-size=8\n" + bw, 2, 8},
		"the default":      {"mpirun -np 2 osu_bw -m 1:64\n" + bw, 2, 64},
		"of the one above": {"+ mpirun -np 2 osu_bw -W 4\n" + bw + bw, 2, 0},
		"ranks":            {"+ mpirun -np 48 -N 12 osu_bcast\n" + bcast, 48, 0},
		"srun":             {"+ srun --ntasks=12 --ntasks-per-node=3 osu_bcast -i 10\n" + bcast, 12, 0},
		"srun of nodes":    {"+ srun -N 2 --ntasks-per-node=4 osu_bcast -i 10\n" + bcast, 8, 0},
		"nodes alone":      {"+ srun -N 2 osu_bcast\n" + bcast, 6, 0},
		"contexts":         {"+ mpirun -np 2 osu_bcast : -np 3 osu_bcast\n" + bcast, 6, 0},
		"by a flag":        {bcast, 6, 0},
	} {
		got := points(t, c.log, Given{Ranks: 6})
		if p := got[len(got)-1]; p.Ranks != c.ranks || p.Window != c.window {
			t.Errorf("%s: %d ranks, window %d", name, p.Ranks, p.Window)
		}
	}
}

// The command line of a caller states what that of a log does.
func TestTheCommandLineOfTheCaller(t *testing.T) {
	bw := "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n16   24.50\n"
	for command, want := range map[string]int{"": 0, "mpirun -np 2 osu_bw": 64, "mpirun -np 2 /opt/osu_bw -W 16": 16} {
		if p := points(t, bw, Given{Command: command, Ran: true})[0]; p.Window != want {
			t.Errorf("%q: window %d", command, p.Window)
		}
	}
}

// The command line of sockperf may follow a prompt. Without -m its messages have the default size.
func TestTheCommandLineOfSockperf(t *testing.T) {
	output := "sockperf: == version #3.10-0.git ==\n[ 0] IP = 10.0.0.2        PORT = 5001 # TCP\nsockperf: Starting test...\n" +
		"sockperf: [Valid Duration] RunTime=2.000 sec; SentMessages=80000; ReceivedMessages=80000\nsockperf: ====> avg-lat= 12.500 (std-dev=1.000)\n"
	for command, want := range map[string]int64{
		"root@n1:/home/u# sockperf ping-pong -i 10.0.0.2 --tcp -m 320": 320,
		"[u@n1 bin]$ ./sockperf pp -i 10.0.0.2 --tcp --msg-size=48":    48,
		"u@n1:~$ sockperf ping-pong -i 10.0.0.2 --tcp":                 14,
		"+ sockperf under-load -i 10.0.0.2 --tcp --mps=1000":           14,
		"sockperf runs now": 99,
	} {
		if p := points(t, command+"\n"+output, Given{Size: 99})[0]; p.Size != want {
			t.Errorf("%s: %d B", command, p.Size)
		}
	}
}

// Older releases print the connection behind other words.
func TestTheConnectionOfSockperf(t *testing.T) {
	for begin, want := range map[string]string{"": "tcp", "sockperf[CLIENT] send on:": "tcp", "see ": "unknown"} {
		log := "sockperf: == version #2.6 ==\n" + begin + "[ 0] IP = 10.0.0.2       PORT = 5001 # TCP\nsockperf: ====> avg-lat= 12.500 (std-dev=1.000)\n"
		if p := points(t, log, Given{Size: 64})[0]; p.Transport != want {
			t.Errorf("%q: over %s", begin, p.Transport)
		}
	}
}

// With derived datatypes (-D) less than the size is moved.
func TestDerivedDatatypesOfOSU(t *testing.T) {
	log := "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)    Transmit Size\n4096   8.00   1024\n"
	p := points(t, log, Given{})[0]
	if p.Size != 4096 || p.Amount != 1024 || !near(p.Metrics.Median("bandwidth_Bps"), 1024/8e-6) || p.Options["ddt"] != "on" {
		t.Errorf("%+v", p)
	}
	launches := all(t, log+"# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)    Transmit Size\n4096   90.00   1024\n", Given{})
	if len(Join(launches).Points) != 1 {
		t.Errorf("%d points", len(Join(launches).Points))
	}
	if _, err := Import("x.log", []byte("# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)    Transmit Size\n4096   90.00   1024\n"), Given{}); err == nil || !strings.Contains(err.Error(), "line 3 is left out: OSU's MPI Bandwidth test of derived datatypes") {
		t.Errorf("%v", err)
	}
}
