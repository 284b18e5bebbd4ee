//go:build mxm && cgo

package mxm

import (
	"errors"
	"fmt"
	"testing"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/native/nativetest"
	"gobench/transports/native/tagged"
)

// typed reports whether an error is one that callers can tell apart.
func typed(err error) bool {
	var peer *device.PeerError
	var call *tagged.CallError
	var unavailable *device.UnavailableError
	return errors.As(err, &peer) || errors.As(err, &call) || errors.As(err, &unavailable)
}

// TestEveryErrorOfEveryFunction has the library return every error of every function once: the
// messages arrive all the same, or a rank gets an error with a type. Nothing hangs.
func TestEveryErrorOfEveryFunction(t *testing.T) {
	file := emulator(t)
	f := nativetest.NewFaults(t, file)
	for function, opening := range map[string]bool{
		"mxm_config_read_opts": true, "mxm_init": true, "mxm_ep_create": true, "mxm_ep_get_address": true, "mxm_ep_connect": true,
		"mxm_mq_create": true, "mxm_ep_disconnect": false, "mxm_req_send": false, "mxm_req_recv": false, "mxm_progress": false,
	} {
		t.Run(function, func(t *testing.T) {
			for code := 1; code <= 16; code++ {
				for _, nth := range []int{1, 4} {
					if code == 13 || opening && nth > 1 && function != "mxm_mq_create" {
						continue // no error has this number; opening calls it once
					}
					faults := fmt.Sprintf("fail=%s:%d:%d", function, code, nth)
					f.Order(faults)
					t.Log(faults)
					got := nativetest.Exercise(t, driver, map[string]string{"library": file, "wait": "yield"})
					if !f.Happened() {
						t.Errorf("%s: it is not called so often, so the test shows nothing", faults)
					}
					for rank, err := range got {
						if err != nil && !typed(err) {
							t.Errorf("%s: rank %d: an error without a type: %v", faults, rank, err)
						}
					}
					if opening && got[0] == nil && got[1] == nil {
						t.Errorf("%s: no rank reports it", faults)
					}
				}
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

// TestLibrariesThatCannotBeUsed names each with the reason.
func TestLibrariesThatCannotBeUsed(t *testing.T) {
	before := loaded
	defer func() { loaded = before }()
	for _, c := range []struct {
		file string
		kind native.Kind
	}{
		{"/nowhere/libmxm.so.2", native.Absent},
		{"libc.so.6", native.TooOld},
	} {
		loaded.file = ""
		err := load(c.file)
		var e *native.Error
		if !errors.As(err, &e) || e.Kind != c.kind {
			t.Errorf("%s: the error is %v, want one of kind %d", c.file, err, c.kind)
		}
	}
}
