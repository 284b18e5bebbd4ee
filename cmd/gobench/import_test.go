package main

import (
	"testing"

	"gobench/importer"
	"gobench/internal/micro"
)

// The results of another program have the name of the benchmark that gobench runs under the name of
// that program, so that they are compared with each other.
func TestNamesOfOtherProgramsAreThoseOfTheirLogs(t *testing.T) {
	osu := func(title, columns string) string {
		return "# OSU MPI " + title + " Test v5.9\n# [ pairs: 2 ] [ window size: 64 ]\n" + columns
	}
	latency, bandwidth := "# Size          Latency (us)\n8  1.00\n", "# Size      Bandwidth (MB/s)\n8  2.00\n"
	perftest := func(title string) string {
		return "          " + title + " Latency Test\n #bytes #iterations t_min[usec] t_max[usec] t_typical[usec]\n 8 1000 1.00 3.00 2.00\n"
	}
	stream := func(title string) string {
		return "          " + title + " BW Test\n #bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n 8 1000 3.00 2.00 0.262144\n"
	}
	for name, log := range map[string]string{
		"osu_latency":            osu("Latency", latency),
		"osu_latency_mt":         osu("Multi-threaded Latency", "# Number of Sender threads: 1 \n# Number of Receiver threads: 2\n"+latency),
		"osu_latency_persistent": osu("Latency Persistent", latency),
		"osu_bw_persistent":      osu("Bandwidth Persistent", bandwidth), "osu_bibw_persistent": osu("Bi-Directional Bandwidth Persistent", bandwidth),
		"osu_bw":       osu("Bandwidth", bandwidth),
		"osu_bibw":     osu("Bi-Directional Bandwidth", bandwidth),
		"osu_mbw_mr":   osu("Multiple Bandwidth / Message Rate", "# Size  MB/s  Messages/s\n8  2.00  250000.00\n"),
		"ib_write_lat": perftest("RDMA_Write"), "ib_read_lat": perftest("RDMA_Read"),
		"ib_write_bw": stream("RDMA_Write"), "ib_read_bw": stream("RDMA_Read"),
	} {
		launches, err := importer.Import(name, []byte(log), importer.Given{})
		own, unknown := micro.Lookup(name)
		if err != nil || unknown != nil || launches[0].Points[0].Bench != own.Name {
			t.Errorf("%s: the log is of %+v, gobench runs %s (%v, %v)", name, launches, own.Name, err, unknown)
		}
	}
}
