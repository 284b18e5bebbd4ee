package importer

import (
	"fmt"
	"slices"
	"testing"
)

// ids returns the IDs of launches.
func ids(launches []Imported) (list []string) {
	for _, l := range launches {
		list = append(list, l.Run.ID)
	}
	return list
}

// The ID of a launch does not depend on which other launches of the log are read.
func TestALaunchHasOneIDWhateverElseIsRead(t *testing.T) {
	log := "# OSU MPI Bcast Latency Test v5.9\n# Size       Avg Latency(us)\n16   4.50\n" +
		"# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n16   2.25\n"
	some, every := ids(all(t, log, Given{})), ids(all(t, log, Given{Ranks: 6}))
	if len(some) != 1 || len(every) != 2 || every[1] != some[0] || every[0] == every[1] {
		t.Errorf("%q with fewer launches, %q", some, every)
	}
}

// The launch of a rank has the same ID after the log has grown by rows of another rank.
func TestIDsOfInterleavedLaunches(t *testing.T) {
	log := ""
	for _, text := range []string{"# OSU MPI Latency Test v5.9", "# Size          Latency (us)", "16   2.25"} {
		for rank := range 2 {
			log += fmt.Sprintf("%d: %s\n", rank, text)
		}
	}
	first := ids(all(t, log, Given{}))
	grown := ids(all(t, log+"0: 32   3.25\n", Given{}))
	if len(first) != 2 || len(grown) != 2 || first[0] == grown[0] || first[1] != grown[1] {
		t.Errorf("%q, grown %q", first, grown)
	}
	if slices.Contains(grown[1:], grown[0]) {
		t.Error("launches with one ID")
	}
}
