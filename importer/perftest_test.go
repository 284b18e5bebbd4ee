package importer

import (
	"strings"
	"testing"
)

// perftestLog is the output of a bandwidth test of perftest.
func perftestLog(test, columns, rows string) string {
	return "                    " + test + " BW Test\n Number of qps   : 1\t\tTransport type : IB\n TX depth        : 64\n" +
		" #bytes    " + columns + " #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]" + rows
}

const perftestRow = "\n 1048576    1000    900.00    800.00    0.000800\n"

// Messages with immediate data are operations of their own, in their own tests.
func TestImmediateDataOfPerftest(t *testing.T) {
	const values = " | bandwidth_Bps 8.38861e+08 mean | message_rate_per_s 800 mean"
	checkSummaries(t, "all", perftestLog("Send", "", perftestRow)+perftestLog("Send_imm", "", perftestRow)+
		perftestLog("RDMA_Write_imm", "", perftestRow)+perftestLog("RDMA_Write_imm Bidirectional", "", perftestRow), Given{},
		"uniband ibv raw 1048576 B x2 window=64 operation=send"+values,
		"uniband ibv raw 1048576 B x2 window=64 operation=send-imm"+values,
		"put_bw ibv raw 1048576 B x2 window=64 operation=rdma-write-imm"+values,
		"put_bibw ibv raw 1048576 B x2 window=64 operation=rdma-write-imm"+values)
}

// With service levels, ports and intervals each row of a table is read.
func TestTablesOfPerftest(t *testing.T) {
	const rest, values = " operation=rdma-write", " | bandwidth_Bps 8.38861e+08 mean | message_rate_per_s 800 mean"
	checkSummaries(t, "service levels", perftestLog("RDMA_Write", "#sl", "\n 1048576 0 1000 900.00 800.00 0.000800\n 1048576 3 1000 500.00 400.00 0.000400\n"), Given{},
		"put_bw ibv raw 1048576 B x2 window=64 options=sl=0"+rest+values,
		"put_bw ibv raw 1048576 B x2 window=64 options=sl=3"+rest+" | bandwidth_Bps 4.1943e+08 mean | message_rate_per_s 400 mean")
	ports := " BW Port1[MiB/sec]   MsgRate Port1[Mpps]   BW Port2[MiB/sec]   MsgRate Port2[Mpps]\n 1048576 1000 900.00 800.00 0.000800 450.00 0.000400 350.00 0.000400\n"
	checkSummaries(t, "ports", perftestLog("RDMA_Write", "", ports), Given{}, "put_bw ibv raw 1048576 B x2 window=64"+rest+values)
	intervals := all(t, perftestLog("RDMA_Write", "", perftestRow+"1048576 1100 0.00 850.00 0.000850\n"), Given{})
	if len(intervals) != 2 || !near(intervals[1].Points[0].Metrics.Median("message_rate_per_s"), 850) {
		t.Errorf("rows of intervals: %+v", intervals)
	}
}

// What a log states wins over flags, with a warning; a caller that ran the program knows better.
func TestFlagsAgainstWhatLogsState(t *testing.T) {
	const fabtests = "$ fi_rdm_pingpong 10.0.0.1\nbytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n64      1k     125k         0.02s      6.40      10.00       0.10\n"
	for name, c := range map[string]struct {
		log              string
		given            Given
		bench, transport string
		warned           string
	}{
		"perftest":     {perftestLog("RDMA_Write", "", perftestRow), Given{Bench: "get_bw", Transport: "tcp"}, "put_bw", "ibv", "used instead of get_bw"},
		"the same":     {perftestLog("RDMA_Write", "", perftestRow), Given{Bench: "put_bw", Transport: "ibv"}, "put_bw", "ibv", ""},
		"own launch":   {perftestLog("RDMA_Write", "", perftestRow), Given{Transport: "roce", Ran: true}, "put_bw", "roce", ""},
		"fabtests":     {fabtests, Given{Bench: "uniband", Transport: "tcp"}, "pingpong", "tcp", "used instead of uniband"},
		"rows":         {`{"kind":"point","bench":"pingpong","transport":"shm","ranks":2,"half_rtt_s":{"median":1e-6,"n":1}}` + "\n", Given{Transport: "tcp"}, "pingpong", "shm", "used instead of tcp"},
		"not in a log": {fabtests[strings.Index(fabtests, "bytes"):], Given{Bench: "pingpong", Transport: "tcp"}, "pingpong", "tcp", ""},
	} {
		launch := all(t, c.log, c.given)[0]
		warnings := strings.Join(launch.Run.Warnings, "\n")
		if p := launch.Points[0]; p.Bench != c.bench || p.Transport != c.transport || !strings.Contains(warnings, c.warned) || c.warned == "" && strings.Contains(warnings, "instead") {
			t.Errorf("%s: %s over %s, warnings %s", name, p.Bench, p.Transport, warnings)
		}
	}
}
