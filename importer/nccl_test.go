package importer

import (
	"fmt"
	"strings"
	"testing"
)

// ncclLog is the output of a program of nccl-tests on four ranks that does not name it.
func ncclLog(redop, algbw, busbw string) string {
	log := "# nThread 1 nGpus 4 minBytes 4096 maxBytes 4096 step: 4096(bytes) warmup iters: 5 iters: 10 validation: 1\n"
	for rank := range 4 {
		log += fmt.Sprintf("#  Rank  %d Group  0 Pid 7 on node1 device  %d [0x07] GPU\n", rank, rank)
	}
	return log + "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n" +
		fmt.Sprintf("  4096 1024 float %s -1 16.00 %s %s 0 N/A N/A N/A N/A\n", redop, algbw, busbw)
}

// The command before a table names its collective, whatever the flag says.
func TestCommandsOfNCCL(t *testing.T) {
	const rest = " comm %d B x4 start=none datatype=float reduction=sum | busbw_Bps %s mean of ranks | local_s 1.6e-05 mean of ranks"
	log := "Linking ../build/hypercube_perf\n+ mpirun -np 4 ./build/all_reduce_perf -b 4K\n" + ncclLog("sum", "20.00", "30.00") +
		"# Out of bounds values : 0 OK\n+ mpirun -np 4 ./build/reduce_scatter_perf -b 4K\nLinking ../build/sendrecv_perf\n" + ncclLog("sum", "20.00", "15.00")
	want := []string{"allreduce unknown" + fmt.Sprintf(rest, 4096, "3e+10"), "reduce_scatter unknown" + fmt.Sprintf(rest, 4096, "1.5e+10")}
	checkSummaries(t, "commands", log, Given{}, want...)
	checkSummaries(t, "a flag", log, Given{Bench: "allreduce"}, want...)
	// A flag for all tables: the bandwidths tell those of others.
	tables := ncclLog("sum", "20.00", "30.00") + ncclLog("sum", "20.00", "15.00")
	checkSummaries(t, "tables", tables, Given{Bench: "all_reduce"}, want[0])
	if w := strings.Join(all(t, tables, Given{Bench: "all_reduce"})[0].Run.Warnings, "\n"); !strings.Contains(w, "line 14 is left out: its bandwidths") {
		t.Errorf("%s", w)
	}
}

// RCCL's tests write other headings; those of version 1 of nccl-tests print milliseconds.
func TestReleasesOfNCCL(t *testing.T) {
	ranks := "#   Rank  0 Pid  7 on node1 device  0 [0x07] GPU\n#   Rank  1 Pid  7 on node1 device  1 [0x0b] GPU\n"
	const want = "allreduce unknown comm 4096 B x2 start=none datatype=float reduction=sum | busbw_Bps 5e+07 mean of ranks | local_s 8e-05 mean of ranks"
	for name, log := range map[string]string{
		"rccl": "# nThread: 1 nGpus: 2 minBytes: 8 maxBytes: 4096 step: 2(factor) warmupIters: 5 iters: 10 validation: 1\n" + ranks +
			"#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n" +
			"        4096          1024   float     sum    80.00    0.05    0.05  0e+00      N/A     N/A     N/A    N/A\n",
		"version 1": "nThread 1 nGpus 2 minBytes 8 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 10 validation: 1\n" + ranks +
			"#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n" +
			"        4096          1024   float     sum    0.080   0.05   0.05    0e+00      N/A    N/A    N/A      N/A\n",
	} {
		checkSummaries(t, name, log, Given{Bench: "allreduce"}, want)
		if p := points(t, log, Given{Bench: "allreduce"})[0]; p.Iterations != 10 {
			t.Errorf("%s: %d iterations", name, p.Iterations)
		}
	}
}
