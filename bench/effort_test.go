package bench

import "testing"

func TestDistanceTakesAMillisecond(t *testing.T) {
	for _, half := range []float64{25e-9, 160e-9, 1e-6, 5e-6, 30e-6} {
		times, rounds := distanceEffort(half)
		if took := 2 * half * float64(times*rounds); took > 1.2e-3 || took < 0.4e-3 {
			t.Errorf("%g s each way: %d times %d rounds take %.2g s", half, times, rounds, took)
		}
	}
	if times, _ := distanceEffort(0); times != 0 {
		t.Error("measured without shared memory")
	}
	if times, _ := distanceEffort(1e-3); times != 0 {
		t.Error("measured on ranks that share a core, which takes long")
	}
}
