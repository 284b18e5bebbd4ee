//go:build verbs && cgo

package verbs

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance runs all rules over soft-RoCE, connected by the job's exchange.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes})
}
