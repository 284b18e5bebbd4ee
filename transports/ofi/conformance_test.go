//go:build ofi && cgo

package ofi

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// without are rules that no device over libfabric keeps.
var without = map[string]string{
	"truncation":                   "providers do not report the size of a message that is too long",
	"truncation of a self message": "providers do not report the size of a message that is too long",
	"cancel a send":                "libfabric cannot take a message back that nobody has received",
	"10000 unexpected messages":    "providers keep messages that no receive waits for, without a limit",
}

func conform(t *testing.T, provider string) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes,
		Options: map[string]string{"provider": provider}, Without: without, MostRanks: 8})
}

func TestSharedMemory(t *testing.T) { conform(t, "shm") }
func TestTCP(t *testing.T)          { conform(t, "tcp") }
