package host

import (
	"testing"
)

func TestCoreLatencies(t *testing.T) {
	cores, err := AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range CoreLatencies(cores) {
		if p.A >= p.B || p.Distance <= 0 || p.Distance >= latencyBusy.Seconds() {
			t.Errorf("%+v", p)
		}
	}
}
