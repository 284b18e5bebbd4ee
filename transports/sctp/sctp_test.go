package sctp

import (
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/devicetest"
)

// limit is the time limit of one rule: the VM emulates its processors.
const limit = 90 * time.Second

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// available skips a test where the kernel has no SCTP.
func available(t *testing.T) {
	t.Helper()
	if err := (driver{}).Probe(); err != nil {
		t.Skipf("SKIPPED: %v; scripts/verbs.sh runs it in a virtual machine", err)
	}
}

// TestConformance runs all rules.
func TestConformance(t *testing.T) {
	available(t)
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MostRanks: 4, Largest: true, Limit: limit,
		Options: map[string]string{"wait": "yield"}})
}

// TestOptions runs the rules that options of the wire touch.
func TestOptions(t *testing.T) {
	available(t)
	for name, options := range map[string]map[string]string{
		"IPv6":   {"family": "6", "wait": "yield"},
		"sleeps": {"wait": "block"},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MostRanks: 3, Largest: true, Limit: limit, Options: options,
				Only: []string{"no overtaking", "every size", "close delivers", "death of a sender", "death in large transfers"}})
		})
	}
}

// The record has the IP version and the buffers that the socket has.
func TestOptionsInForce(t *testing.T) {
	available(t)
	for family, address := range map[string]string{"4": "127.0.0.1", "6": "::1"} {
		e, _, err := listen(netip.MustParseAddr(address), settings{family: "auto", silence: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(e.fd)
		if got, found := e.inForce(); got["family"] != family || found["sndbuf_kernel"] == "" || found["rcvbuf_kernel"] == "" {
			t.Errorf("of a socket at %s the options in force are %v, and %v was found", address, got, found)
		}
	}
}

// A kernel without SCTP is reported with the module that it lacks.
func TestProbe(t *testing.T) {
	err := driver{}.Probe()
	var why *device.UnavailableError
	if err != nil && (!errors.As(err, &why) || !strings.Contains(why.Reason, "module sctp") || !strings.Contains(why.Remedy, "modprobe sctp")) {
		t.Errorf("the error is %v", err)
	}
}
