package importer

import "testing"

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
