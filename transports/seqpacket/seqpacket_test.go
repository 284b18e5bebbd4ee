package seqpacket

import (
	"os"
	"testing"
	"time"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance holds all rules of package device with ranks as processes
// and as goroutines; those of dead ranks need processes.
func TestConformance(t *testing.T) {
	for _, kind := range []devicetest.Ranks{devicetest.Processes, devicetest.Goroutines} {
		t.Run(kind.String(), func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: kind, Largest: true, Limit: 2 * time.Minute})
		})
	}
}
