package importer

import (
	"strings"
	"testing"
)

// Version 5 of NetPIPE prints decimal units, and the mean of its trials.
func TestNetPIPE5(t *testing.T) {
	const log = "Start testing with 7 trials for each message size\n" +
		"  1:       1  B     20000 times -->    4.000 Mbps  in    2.000 usecs\n" +
		"  2:   1.027 KB     10000 times -->    2.054 Gbps  in    4.000 usecs\n" +
		"  3:   1.049 MB       100 times -->    8.389 Gbps  in    1.000 msecs\n" +
		"  4:       8  B     20000 times -->   64.000 Mbps  in    2.000 usecs\n" +
		"  5:       8  B     20000 times -->   32.000 Mbps  in    2.000 usecs   3 failures\n" +
		"Completed with        max bandwidth     8.389 Gbps      2.000 usecs latency\n"
	const small = "pingpong unknown raw 1 B x2 | bandwidth_Bps 500000 mean | half_rtt_s 2e-06 mean"
	const large = "pingpong unknown raw 1027 B x2 | bandwidth_Bps 2.5675e+08 mean | half_rtt_s 4e-06 mean"
	checkSummaries(t, "terminal", log, Given{}, small, large)
	warnings := strings.Join(all(t, log, Given{})[0].Run.Warnings, "\n")
	for _, want := range []string{"line 4 is left out: the size is printed rounded", "line 5 is left out: its bandwidth", "line 6 is left out: its data"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no warning %q: %s", want, warnings)
		}
	}
	checkSummaries(t, "np.out", "        1     0.004     0.003     0.005    2.00\n     1027     2.054     2.000     2.100    4.00\n", Given{}, small, large)
	if launches := all(t, log+log, Given{}); len(launches) != 2 {
		t.Errorf("%d launches", len(launches))
	}
	for _, mode := range []string{"Streaming data in one direction\n", "Bidirectional mode using 1 pairs of processes.\n"} {
		if _, err := Import("x", []byte(mode+log), Given{}); err == nil || !strings.Contains(err.Error(), "not a ping-pong") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
