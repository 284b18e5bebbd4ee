//go:build ofi && cgo

package ofi

import (
	"os"
	"strings"
	"testing"
	"time"

	"gobench/device/devicetest"
)

// TestMain has libfabric open the RDMA devices: librdmacm keeps their files until exit, and the
// suite counts files.
func TestMain(m *testing.M) {
	if _, err := os.Stat(softRoCE); err == nil {
		os.Setenv("FI_UNIVERSE_SIZE", "2") // libfabric reads these two now, and not when a rank opens
		os.Setenv("FI_OFI_RXM_USE_SRX", "1")
		if load() == nil {
			find("verbs;ofi_rxm", "", messages)
		}
	}
	os.Exit(devicetest.Main(m))
}

// without are rules that no device over libfabric keeps.
var without = map[string]string{
	"truncation":                   "providers do not report the size of a message that is too long",
	"truncation of a self message": "providers do not report the size of a message that is too long",
	"cancel a send":                "libfabric cannot take a message back that nobody has received",
	"10000 unexpected messages":    "providers keep messages that no receive waits for, without a limit",
}

func conform(t *testing.T, provider string) {
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes,
		Options: map[string]string{"provider": provider}, Without: without, MaxRanks: 8, Largest: true})
}

func TestTCP(t *testing.T) { conform(t, "tcp") }

// softRoCE is the device of the virtual machine of transports/verbs/testvm.
const softRoCE = "/sys/class/infiniband/rxe0"

// TestSoftRoCE runs rules over it. With the layer rxm's shared receive queue nothing was seen of
// the crash of docs/notes/ucx-ofi.md.
func TestSoftRoCE(t *testing.T) {
	if _, err := os.Stat(softRoCE); err != nil {
		t.Skip("there is no device rxe0: scripts/verbs.sh runs this test in its virtual machine")
	}
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 2, Largest: true, Limit: 90 * time.Second,
		Options: map[string]string{"provider": "verbs;ofi_rxm", "address": "10.8.0.1", "wait": "yield"},
		Only:    []string{"no overtaking", "puts and gets of a region", "a region of all ranks or of none", "death of a sender"}})
}

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) {
	devicetest.Kills(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: map[string]string{"provider": "tcp"}})
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
		if _, err := find(provider, "", messages); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("provider %s: the error is %v, want %q", provider, err, want)
		}
	}
}
