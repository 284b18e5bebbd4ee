package importer

import "testing"

// Numbers of logs are read whole or not at all, and rows that contradict themselves are left out.
// Mutations of logs have shown each of these.
func TestNothingIsInvented(t *testing.T) {
	for name, c := range map[string]struct {
		log    string
		points int // of which no value is invented
	}{
		"a window that is no whole number": {`# OSU MPI Multiple Bandwidth / Message Rate Test v7.2
# [ pairs: 1 ] [ window size: 590.57 ]
# Size                  MB/s        Messages/s
1024                 2048.00        2000000.00
`, 1},
		"an array that is no whole number": {`STREAM version $Revision: 5.10 $
This system uses 8 bytes per array element.
Array size = 23999.1 (elements), Offset = 0 (elements)
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           32000.5     0.010250     0.010000     0.011000
`, 0},
		"a depth of JSON that is no whole number": {`{
"test_info": {
"test": "RDMA_Write_BW_Test",
"TX_depth": 28.2
},
"results": {
"MsgSize": 65536,
"n_iterations": 5000,
"BW_average": 22500.00,
"MsgRate": 0.360000
}
}
`, 1},
		"sizes of NetPIPE that are no whole numbers": {`Send and receive buffers are 16384 and 131072 bytes
Now starting the main loop
  0:  .5 bytes   4972 times -->      0.76 Mbps in      10.00 usec
  1:    1988.79 bytes   9900 times -->    390.63 Mbps in      20.00 usec
`, 0},
		"a mean block that is no whole number": {`# Collective test starting: alltoallv_perf
# nThread 1 nGpus 2 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     715.136        131072     float    none      -1    50.00   20.97   10.49      0    49.00   21.40   10.70      0
`, 0},
		"commas that are no groups of thousands": {`| API:          protocol layer                                                                              |
| Test:         tag match bandwidth                                                                         |
| Message size: 500000                                                                                      |
Final:                  2000      4.746   182.329   182.329      342.79     1,00500000        5485        5485
`, 0},
		"a time below 0": {`# fi_rdm_pingpong
bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      10k     1.2m        0.11s     11.64     -97.50       0.18
`, 0},
		"a time of 0": {`{
"results": [
{
"command": "sort",
"mean": 0.5125,
"stddev": 0.0125,
"median": 0.5105,
"user": 0.9,
"system": 0.05,
"min": 0.5005,
"max": 0.5315,
"times": [0.5005, 0.5085, 0, 0]
}
]
}
`, 0},
		"a maximum with an exponent": {`+ sockperf ping-pong -i 10.1.0.2 -p 11111 -m 200 -t 10
sockperf: == version #3.10-0.git ==
sockperf: Starting test...
sockperf: ====> avg-latency=14.250 (std-dev=2.100)
sockperf: Total 1910 observations; each percentile contains 19.10 observations
sockperf: ---> <MAX> observation =   71.501e300
sockperf: ---> percentile 50.000 =   13.500
`, 1},
		"a time and a bandwidth that do not match": {`#    Intel(R) MPI Benchmarks 2021.3, MPI-RMA part
# Benchmarking One_put_all
# #processes = 4
       #bytes #repetitions      t[usec]   Mbytes/sec
            1            1            1            1
`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			checkImport(t, []byte(c.log), Given{Ranks: 2})
			launches, _ := Import("x.log", []byte(c.log), Given{Ranks: 2})
			points := 0
			for _, l := range launches {
				points += len(l.Points)
			}
			if points != c.points {
				t.Errorf("%d points, want %d", points, c.points)
			}
		})
	}
}
