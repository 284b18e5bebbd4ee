//go:build ofi && cgo

package ofi

import (
	"os"
	"strings"
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
		Options: map[string]string{"provider": provider}, Without: without, MostRanks: 8, Largest: true})
}

func TestTCP(t *testing.T) { conform(t, "tcp") }

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) {
	devicetest.Kills(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Options: map[string]string{"provider": "tcp"}})
}

// A provider that cannot be used, or does not exist, is refused by name, and no other one is taken.
func TestProvidersAreRefused(t *testing.T) {
	if err := probe(); err != nil {
		t.Fatal(err)
	}
	for provider, want := range map[string]string{
		"shm":     "provider shm of libfabric",
		"nothing": "provider nothing has no endpoint with tag matching here",
	} {
		if _, err := find(provider, "", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("provider %s: the error is %v, want %q", provider, err, want)
		}
	}
}
