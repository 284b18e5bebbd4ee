package seqpacket

import (
	"os"
	"testing"
	"time"

	"gobench/device/devicetest"
)

// limit of one rule: 2 GiB go through the kernel twice, one packet at a time.
const limit = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance holds all rules of package device with ranks as processes
// and as goroutines; those of dead ranks need processes.
func TestConformance(t *testing.T) {
	for _, kind := range []devicetest.Ranks{devicetest.Processes, devicetest.Goroutines} {
		t.Run(kind.String(), func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: kind, Largest: true, Limit: limit})
		})
	}
}
