//go:build ucx && cgo

package ucx

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// without are rules that no device over UCX keeps.
var without = map[string]string{
	"truncation":                   "UCX drops a message that is too long, so nothing of it is in the buffer",
	"truncation of a self message": "UCX drops a message that is too long",
	"cancel a send":                "UCX cannot take a message back that nobody has received",
	"10000 unexpected messages":    "UCX keeps messages that no receive waits for, without a limit",

	"death in large transfers":               "survivors sometimes wait for the library for 30 s: an open fault, docs/notes/ucx-ofi.md",
	"death in transfers of allocated memory": "as death in large transfers",
}

func conform(t *testing.T, options map[string]string, only ...string) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Options: options, Without: without, Only: only, MostRanks: 8, Largest: true})
}

func TestSharedMemory(t *testing.T) { conform(t, map[string]string{"tls": "posix,cma,self"}) }
func TestPosix(t *testing.T)        { conform(t, map[string]string{"tls": "posix,self"}) }
func TestTCP(t *testing.T)          { conform(t, map[string]string{"tls": "tcp,self"}) }

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) {
	for _, tls := range []string{"posix,cma,self", "posix,self", "tcp,self"} {
		t.Run(tls, func(t *testing.T) {
			devicetest.Kills(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Options: map[string]string{"tls": tls}})
		})
	}
}
