package experiment

import (
	"bytes"
	"testing"
	"time"
)

// The times of the stages add up to the time of the launch, also with several transports, which
// each end a stage.
func TestTimesOfStages(t *testing.T) {
	s := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	launch := func(ranks int, end float64) *timeline {
		return &timeline{ranks: ranks, endings: []stageEnding{
			{stageFork, s(0.01), 0}, {stageProcesses, s(0.05), 17e6}, {stageConnect, s(0.06), 20e6}, {stageMeasure, s(1.06), 30e6},
			{stageConnect, s(1.08), 21e6}, {stageMeasure, s(3.08), 31e6}, {stageEnd, s(end), 0},
		}}
	}
	var out bytes.Buffer
	writeTimelines(&out, []*timeline{launch(2, 3.1), launch(4, 4), launch(2, 3.2), launch(2, 3.3)})
	if want := `gobench: time of 3 launches of 2 ranks in seconds (median, least, most), memory of rank 0 at the end of each part:
gobench: fork           0.010     0.010     0.010
gobench: start          0.040     0.040     0.040     17 MB
gobench: connect        0.030     0.030     0.030     21 MB
gobench: measure        3.000     3.000     3.000     31 MB
gobench: end            0.120     0.020     0.220
gobench: time of 1 launch of 4 ranks in seconds (median, least, most), memory of rank 0 at the end of each part:
gobench: fork           0.010     0.010     0.010
gobench: start          0.040     0.040     0.040     17 MB
gobench: connect        0.030     0.030     0.030     21 MB
gobench: measure        3.000     3.000     3.000     31 MB
gobench: end            0.920     0.920     0.920
`; out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
