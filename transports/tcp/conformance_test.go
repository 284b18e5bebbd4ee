package tcp

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance runs all rules with ranks as processes over the default.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes})
}
