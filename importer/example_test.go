package importer_test

import (
	"fmt"

	"gobench/importer"
)

// The format of a log of OSU's osu_latency is detected by its content, and the log is converted to
// points.
func Example() {
	log := []byte(`# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       0.25
1024                    0.61
`)
	launches, err := importer.Import("osu.log", log, importer.Given{Library: "MPICH 4.0.2", Transport: "shm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range launches[0].Points {
		fmt.Printf("%s %s %d B: %.2f µs\n", p.Bench, p.Transport, p.Size, p.Metrics.Median("half_rtt_s")*1e6)
	}
	// Output:
	// pingpong shm 1 B: 0.25 µs
	// pingpong shm 1024 B: 0.61 µs
}
