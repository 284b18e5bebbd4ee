package measure

import (
	"maps"
	"testing"

	"gobench/kernels/application"
)

func TestPartsOfAStartAddUp(t *testing.T) {
	s := &starting{ended: map[string]float64{stageProcesses: 1, stageConnect: 1.5, stageAgree: 1.75, stageBarrier: 2}}
	of := func(t float64) application.Share { return application.Share{Min: t, Mean: t, Max: t} }
	want := application.Split{stageProcesses: of(1), stageConnect: of(0.5), stageAgree: of(0.25), stageBarrier: of(0.25)}
	if got := s.parts(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
