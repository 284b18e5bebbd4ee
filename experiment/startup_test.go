package experiment

import (
	"maps"
	"testing"
	"time"

	"gobench/kernels/application"
)

func TestPartsOfAStartAddUp(t *testing.T) {
	at := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	c := &timeline{endings: []stageEnding{{stageFork, at(0.5), 0}, {stageProcesses, at(1), 17}, {stageConnect, at(1.5), 18}, {stageAgree, at(1.75), 19}, {stageBarrier, at(2), 20}}}
	of := func(t float64) application.Share { return application.Share{Min: t, Mean: t, Max: t} }
	want := application.Split{stageProcesses: of(1), stageConnect: of(0.5), stageAgree: of(0.25), stageBarrier: of(0.25)}
	got, resident := c.start()
	if !maps.Equal(got, want) || !maps.Equal(resident, map[string]int64{stageProcesses: 17, stageConnect: 18, stageAgree: 19, stageBarrier: 20}) {
		t.Errorf("%v and %v, want %v", got, resident, want)
	}
}
