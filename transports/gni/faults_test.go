//go:build gni && cgo

package gni

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/device"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/nativetest"
)

// codes are the return codes of uGNI but success.
const codes = 13

// typed reports whether an error is one that callers can tell apart.
func typed(err error) bool {
	var peer *device.PeerError
	var call *ugni.Error
	var unavailable *device.UnavailableError
	var value *device.ValueError
	return errors.As(err, &peer) || errors.As(err, &call) || errors.As(err, &unavailable) || errors.As(err, &value)
}

// TestEveryErrorOfEveryFunction has the library return every code of every function once: the
// message arrives all the same, or both ranks get an error that names the peer or the function.
// Nothing hangs.
func TestEveryErrorOfEveryFunction(t *testing.T) {
	file := emulator(t)
	f := nativetest.NewFaults(t, file)
	for _, function := range ugni.Functions() {
		if !strings.HasPrefix(function, "GNI_") {
			continue // an accessor of an event, which returns no code
		}
		t.Run(function, func(t *testing.T) {
			happened := 0
			for code := 1; code <= codes; code++ {
				for _, nth := range []int{1, 3} {
					set := map[string]string{"library": file, "peer_timeout": "40", "wait": "yield"}
					faults := fmt.Sprintf("fail=%s:%d:%d", function, code, nth)
					if strings.Contains(function, "PostData") {
						set["connect"] = "lazy"
						faults += " cross=1"
					}
					switch function {
					case "GNI_CqErrorRecoverable":
						faults += " transient=0.3"
					case "GNI_CqErrorStr":
						faults += " fatal=0.3"
					case "GNI_CqWaitEvent":
						set["wait"] = "block"
					case "GNI_PostFma":
						set["fma_limit"] = "1GiB"
					}
					f.Order(faults)
					got := nativetest.Exercise(t, driver, set)
					if f.Happened() {
						happened++
					}
					for rank, err := range got {
						if err != nil && !typed(err) {
							t.Errorf("%s: rank %d: an error without a type: %v", faults, rank, err)
						}
					}
				}
			}
			if happened == 0 && !neverCalled[function] {
				t.Error("it is never called, so the test shows nothing")
			}
		})
	}
	f.Order("")
	for rank, err := range nativetest.Exercise(t, driver, map[string]string{"library": file}) {
		if err != nil {
			t.Errorf("rank %d: %v without any fault", rank, err)
		}
	}
}

// neverCalled are functions that are called once in a process (ugni.TestLibraries).
var neverCalled = map[string]bool{
	"GNI_GetVersion": true, "GNI_GetNumLocalDevices": true, "GNI_GetDeviceType": true,
}

// TestSizesOfMailboxes has sizes for which the offsets of mailboxes have no room in 32 bits.
func TestSizesOfMailboxes(t *testing.T) {
	for _, c := range []struct {
		mailbox, credits string
		ranks            int
		fits             bool
	}{
		{"65535", "1024", 63, true},
		{"65535", "1024", 64, false},
		{"8KiB", "4096", 128, false},
		{"auto", "0", 100_000, true},
	} {
		o, err := device.ParseOptions(driver.Options(), map[string]string{"mailbox": c.mailbox, "credits": c.credits})
		if err != nil {
			t.Fatal(err)
		}
		_, err = parse(o, c.ranks)
		var value *device.ValueError
		if c.fits != (err == nil) || err != nil && !errors.As(err, &value) {
			t.Errorf("%d ranks with mailbox=%s and credits=%s: the error is %v", c.ranks, c.mailbox, c.credits, err)
		}
	}
}

// TestFatalFaults are faults that end a connection or the NIC: both ranks get an error.
func TestFatalFaults(t *testing.T) {
	file := emulator(t)
	f := nativetest.NewFaults(t, file)
	for _, faults := range []string{"fatal=1", "nic=3", "nic=9", "transient=1"} {
		f.Order(faults)
		for rank, err := range nativetest.Exercise(t, driver, map[string]string{"library": file, "peer_timeout": "40"}) {
			var peer *device.PeerError
			if !errors.As(err, &peer) {
				t.Errorf("%s: rank %d gets %v, want an error of its peer", faults, rank, err)
			}
		}
	}
}
