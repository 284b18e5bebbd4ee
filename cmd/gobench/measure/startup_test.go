package measure

import (
	"maps"
	"testing"
	"time"

	"gobench/kernels/application"
)

func TestPartsOfAStartAddUp(t *testing.T) {
	c := &course{endings: []stageEnding{
		{stageFork, 500 * time.Millisecond, 0}, {stageProcesses, time.Second, 1}, {stageConnect, 1500 * time.Millisecond, 2},
		{stageAgree, 1750 * time.Millisecond, 3}, {stageBarrier, 2 * time.Second, 4}, {stageEnd, 3 * time.Second, 0},
	}}
	of := func(t float64) application.Share { return application.Share{Min: t, Mean: t, Max: t} }
	want := application.Split{stageProcesses: of(1), stageConnect: of(0.5), stageAgree: of(0.25), stageBarrier: of(0.25)}
	phases, resident, total := c.parts()
	if !maps.Equal(phases, want) || total != 2 || resident[stageConnect] != 2 || resident[stageBarrier] != 4 {
		t.Errorf("%v in %v s, want %v; memory %v", phases, total, want, resident)
	}
}
