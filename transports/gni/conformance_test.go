//go:build gni && cgo

package gni

import (
	"os"
	"strings"
	"testing"

	"gobench/device/devicetest"
	"gobench/transports/native/nativetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// emulator returns the emulator of the library.
func emulator(t testing.TB) string { return nativetest.Library(t, library) }

// over returns a subject over the emulator, whose ranks are processes.
func over(t *testing.T, options map[string]string) devicetest.Subject {
	t.Helper()
	set := map[string]string{"library": emulator(t)}
	for name, value := range options {
		set[name] = value
	}
	return devicetest.Subject{Driver: driver, Options: set, Ranks: devicetest.Processes}
}

// TestConformance runs the rules of the wire.
func TestConformance(t *testing.T) {
	s := over(t, nil)
	s.MaxRanks, s.Largest, s.Only = 4, true, devicetest.WireRules
	devicetest.Run(t, s)
}

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) { devicetest.Kills(t, over(t, nil)) }

// TestOptions runs the rules that options of the wire touch.
func TestOptions(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"put":              {"rndv": "put", "wait": "yield"},
		"get":              {"rndv": "get", "wait": "spin"},
		"bounce":           {"unaligned": "bounce", "get_limit": "1GiB"},
		"split":            {"rndv": "pipeline", "wait": "spin"},
		"all by FMA":       {"fma_limit": "1GiB", "segment": "4096"},
		"all by BTE":       {"fma_limit": "0", "reg_cache": "0", "posts": "2"},
		"few credits":      {"credits": "2", "mailbox": "288", "events": "2"},
		"lazy":             {"connect": "lazy"},
		"lazy, yields":     {"connect": "lazy", "wait": "yield", "rndv": "get"},
		"sleeps":           {"wait": "block"},
		"small eager part": {"eager_limit": "0", "get_limit": "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := over(t, options)
			s.MaxRanks, s.Largest = 3, true
			s.Only = []string{"every size", "cancelled sends race with receives", "all to all", "death in transfers of allocated memory"}
			if options["connect"] != "" || options["credits"] != "" || options["wait"] == "block" { // else TestConformance holds them
				s.Only = append(s.Only, "close delivers", "a rank closes early", "death of the first rank")
			}
			devicetest.Run(t, s)
		})
	}
}

// TestFaults runs rules with a network that has faults from which a rank recovers, and with
// latency.
func TestFaults(t *testing.T) {
	for name, faults := range map[string]string{
		"recoverable errors":     "transient=0.2",
		"lost events":            "lost=0.02",
		"early events":           "early=0.3",
		"queues that run over":   "overrun=0.05",
		"short queues":           "entries=3",
		"latency":                "latency=2000",
		"greetings that cross":   "cross=0.5",
		"all that can be healed": "transient=0.1 lost=0.01 early=0.1 overrun=0.02 latency=500",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOBENCH_GNI_EMULATOR", faults)
			s := over(t, nil)
			if strings.Contains(faults, "cross") {
				s.Options["connect"] = "lazy"
			}
			s.MaxRanks, s.Largest = 3, true
			s.Only = []string{"no overtaking", "every size", "all to all", "close delivers", "death in large transfers"}
			devicetest.Run(t, s)
		})
	}
}
