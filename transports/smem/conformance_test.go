package smem

import (
	"testing"

	"gobench/device"
	"gobench/device/devicetest"
)

func TestProcesses(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes})
}

// TestMethods runs the rules that move long messages with every way to move
// them.
func TestMethods(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"pipeline": {"rndv": "pipeline", "ring_bytes": "16KiB", "eager_limit": "8KiB"},
		"split":    {"rndv": "split", "eager_limit": "4KiB"},
		"get":      {"rndv": "get", "eager_limit": "4KiB"},
		"put":      {"rndv": "put", "eager_limit": "4KiB"},
		"no cma":   {"rndv": "split", "cma": "off", "eager_limit": "4KiB"},
		"sleeps":   {"wait": "block"},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Largest: true, Options: options,
				Only: []string{"every size", "allocated buffers", "both send 64 MiB", "truncation", "random traffic",
					"cancelled sends race with receives", "death of a receiver of much", "no allocation", "info"}})
		})
	}
}

// TestConformanceOfGoroutines is for the race detector, and run with it alone (scripts/test.sh),
// and for arm64, whose emulation has no processes that read each other's memory. The detector sees
// the engine above the wire in package memwire.
func TestConformanceOfGoroutines(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Goroutines, Largest: true, Only: devicetest.WireRules,
		// What a rank that is gone leaves behind where there is no process to end.
		Kill: func(d device.Device) { d.(*matched).w.own.close() }})
}
