package tune

import (
	"testing"

	"gobench/record"
)

// trials returns rounds in which the time with each value is a share of that with the default. The
// distance alternates, and noise multiplies all times of a round.
func trials(rounds int, near, far map[string]float64) [][]Trial {
	var list [][]Trial
	for i := range rounds {
		var round []Trial
		for _, value := range []string{"32K", "8K", "64K"} {
			var points []record.Point
			for size, t := range map[int64]float64{4096: 1e-6, 65536: 5e-6} {
				share, distance := near[value], 30e-9
				if i%2 == 1 {
					share, distance = far[value], 200e-9
				}
				noise := 1 + float64(i%3)/2
				own := 1 + float64((i*7+len(value))%3)/100
				points = append(points, record.Point{Size: size, Memory: "heap", DistanceBefore: distance, DistanceAfter: distance,
					Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: t * share * noise * own}})})
			}
			round = append(round, Trial{value, points})
		}
		list = append(list, round)
	}
	return list
}

func TestTheBestValueIsChosen(t *testing.T) {
	for _, c := range []struct {
		name      string
		rounds    int
		near, far map[string]float64
		want      string
	}{
		{"faster near, no matter far", 16, map[string]float64{"32K": 1, "8K": 0.8, "64K": 0.9}, map[string]float64{"32K": 1, "8K": 1, "64K": 1}, "8K"},
		{"faster near, slower far", 16, map[string]float64{"32K": 1, "8K": 0.8, "64K": 0.9}, map[string]float64{"32K": 1, "8K": 1.3, "64K": 1}, "64K"},
		{"no difference", 16, map[string]float64{"32K": 1, "8K": 1, "64K": 1}, map[string]float64{"32K": 1, "8K": 1, "64K": 1}, "32K"},
		{"slower", 16, map[string]float64{"32K": 1, "8K": 1.2, "64K": 1.1}, map[string]float64{"32K": 1, "8K": 1.2, "64K": 1.1}, "32K"},
		{"too few rounds", 6, map[string]float64{"32K": 1, "8K": 0.5, "64K": 0.5}, map[string]float64{"32K": 1, "8K": 0.5, "64K": 0.5}, "32K"},
	} {
		if got, effects := ChooseValue("32K", trials(c.rounds, c.near, c.far)); got != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, got, c.want, effects)
		}
	}
}

// A launch during which the distance of the cores changed is not counted.
func TestMovedCoresDoNotCount(t *testing.T) {
	rounds := trials(16, map[string]float64{"32K": 1, "8K": 0.5, "64K": 1}, map[string]float64{"32K": 1, "8K": 0.5, "64K": 1})
	for _, round := range rounds {
		for _, trial := range round {
			for i := range trial.Points {
				trial.Points[i].DistanceAfter = 30e-9
			}
		}
	}
	chosen, effects := ChooseValue("32K", rounds)
	for _, e := range effects {
		if e.Far || e.Ratio.N > 8 {
			t.Errorf("an effect of launches whose cores moved: %+v", e)
		}
	}
	if chosen != "8K" {
		t.Errorf("chosen %s, want 8K", chosen)
	}
}

// Of a message whose cores had several states the one that lasted longest counts, and it is only
// compared with the same state: the default was never slowed here, the other value for some time.
func TestSlowedCoresDoNotCount(t *testing.T) {
	rounds := trials(16, map[string]float64{"32K": 1, "8K": 0.8, "64K": 1}, map[string]float64{"32K": 1, "8K": 0.8, "64K": 1})
	for i, round := range rounds {
		for _, trial := range round {
			for j := range trial.Points {
				trial.Points[j].Loop = 1e-6
			}
		}
		if i%4 < 2 { // a second state, in a round of each distance
			slow := round[1].Points[0]
			slow.Loop, slow.Metrics = 1.7e-6, record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-4}})
			round[1].Points = append(round[1].Points, slow)
		}
	}
	if chosen, effects := ChooseValue("32K", rounds); chosen != "8K" {
		t.Errorf("chosen %s, want 8K: %+v", chosen, effects)
	}
}

// A point belongs to the distance of its own blocks, not to those before and after its cell.
func TestDistanceOfAPoint(t *testing.T) {
	const near, far = 30e-9, 200e-9
	for _, c := range []struct {
		p          record.Point
		far, known bool
	}{
		{record.Point{DistanceBefore: near, DistanceAfter: near}, false, true},
		{record.Point{DistanceBefore: far, DistanceAfter: far}, true, true},
		{record.Point{DistanceBefore: near, DistanceAfter: far}, false, false},
		{record.Point{DistanceBefore: near, DistanceAfter: near, StateDistance: far, StateShare: 0.4}, true, true},
		{record.Point{DistanceBefore: near, DistanceAfter: near, StateShare: 0.1}, false, false}, // it changed
	} {
		if at, known := isFar(&c.p); known != c.known || known && at != c.far {
			t.Errorf("%+v: far %v, known %v", c.p, at, known)
		}
	}
}
