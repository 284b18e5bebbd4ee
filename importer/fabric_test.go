package importer

import (
	"strings"
	"testing"
)

// The provider of a command of libfabric's programs, and data with a write, are of the cell.
func TestCommandsOfFabric(t *testing.T) {
	const pingpong = "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n64      10      =10      1.2k        0.00s      3.20      20.00       0.05\n"
	checkSummaries(t, "fi_pingpong", "$ fi_pingpong -p \"tcp;ofi_rxm\" -e rdm 10.0.0.1\n"+pingpong+"$ fi_pingpong -e rdm -p verbs 10.0.0.1\n"+pingpong+"$ fi_pingpong 10.0.0.1\n"+pingpong, Given{},
		"pingpong unknown raw 64 B x2 options=provider=tcp;ofi_rxm | bandwidth_Bps 3.2e+06 mean | half_rtt_s 2e-05 mean",
		"pingpong unknown raw 64 B x2 options=provider=verbs | bandwidth_Bps 3.2e+06 mean | half_rtt_s 2e-05 mean",
		"pingpong unknown raw 64 B x2 | bandwidth_Bps 3.2e+06 mean | half_rtt_s 2e-05 mean")
	const stream = "bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n64      1k      62k         0.02s      3.20      20.00       0.05\n"
	checkSummaries(t, "fabtests", "$ fi_rma_bw -p efa -o writedata 10.0.0.1\n"+stream+"$ fi_rma_bw -o write 10.0.0.1\n"+stream, Given{},
		"put_bw unknown raw 64 B x2 options=provider=efa operation=writedata | bandwidth_Bps 3.2e+06 mean | message_rate_per_s 50000 mean",
		"put_bw unknown raw 64 B x2 | bandwidth_Bps 3.2e+06 mean | message_rate_per_s 50000 mean")
}

// Both sides of a test of fi_pingpong print a table, and so do both of a stream of perftest.
func TestBothSidesOfOneTest(t *testing.T) {
	side := func(rank, usec string) string {
		return rank + "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n" + rank + "64      10      =10      1.2k        0.00s      3.20      " + usec + "       0.05\n"
	}
	const rest = "pingpong unknown raw 64 B x2 | bandwidth_Bps "
	checkSummaries(t, "ranks", side("[rank 1] ", "20.00")+side("[rank 0] ", "25.00")+side("[rank 3] ", "40.00"), Given{},
		rest+"3.2e+06 mean | half_rtt_s 2e-05 mean", rest+"1.6e+06 mean | half_rtt_s 4e-05 mean")
	checkSummaries(t, "one terminal", side("", "20.00")+side("", "25.00"), Given{},
		rest+"3.2e+06 mean | half_rtt_s 2e-05 mean", rest+"2.56e+06 mean | half_rtt_s 2.5e-05 mean")

	client := perftestLog("RDMA_Write", "", perftestRow)
	server := strings.Replace(client, " TX depth        : 64\n", "", 1)
	const written = "put_bw ibv raw 1048576 B x2 window=64 operation=rdma-write | bandwidth_Bps 8.38861e+08 mean | message_rate_per_s 800 mean"
	for name, log := range map[string]string{"server first": server + client, "client first": client + server} {
		checkSummaries(t, name, log, Given{}, written)
		if w := strings.Join(all(t, log, Given{})[0].Run.Warnings, "\n"); !strings.Contains(w, "the other side of the same test") {
			t.Errorf("%s: no warning: %s", name, w)
		}
	}
	checkSummaries(t, "two clients", client+client, Given{}, written, written)
	other := strings.Replace(server, "800.00    0.000800", "700.00    0.000700", 1)
	checkSummaries(t, "another server", other+client, Given{},
		strings.NewReplacer(" window=64", "", "8.38861e+08", "7.34003e+08", " 800 ", " 700 ").Replace(written), written)
}
