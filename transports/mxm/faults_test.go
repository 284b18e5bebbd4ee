//go:build mxm && cgo

package mxm

import (
	"errors"
	"fmt"
	"strings"
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

// A call is what the table test knows of a function of MXM that returns an error.
type call struct {
	reported bool // some rank reports the error, because it cannot go on
	once     bool // a rank need not call it more often
	often    bool // two ranks call it 20 times and more
	access   bool // only puts and gets of level raw need it
}

var calls = map[string]call{
	"mxm_config_read_opts": {reported: true, once: true},
	"mxm_init":             {reported: true, once: true},
	"mxm_ep_create":        {reported: true, once: true},
	"mxm_ep_get_address":   {reported: true, once: true},
	"mxm_ep_connect":       {reported: true},
	"mxm_conn_ctx_set":     {reported: true},
	"mxm_mq_create":        {reported: true},
	"mxm_mem_map":          {reported: true, once: true, access: true},
	"mxm_mem_get_key":      {reported: true, once: true, access: true},
	"mxm_mem_unmap":        {once: true, access: true},
	"mxm_req_probe":        {once: true},
	"mxm_req_cancel_recv":  {once: true},
	"mxm_ep_disconnect":    {},
	"mxm_req_send":         {often: true},
	"mxm_req_recv":         {often: true},
	"mxm_progress":         {often: true},
}

// TestEveryErrorOfEveryFunction has the library return every error of every function once: the
// messages arrive all the same, or a rank gets an error with a type. Nothing hangs.
func TestEveryErrorOfEveryFunction(t *testing.T) {
	file := emulator(t)
	f := nativetest.NewFaults(t, file)
	for function, c := range calls {
		t.Run(function, func(t *testing.T) {
			for code := 1; code <= 16; code++ {
				for _, nth := range []int{1, 4, 20} {
					if code == 13 || c.once && nth > 1 || !c.often && nth > 4 {
						continue // no error has this number
					}
					faults := fmt.Sprintf("fail=%s:%d:%d", function, code, nth)
					f.Order(faults)
					run := nativetest.Exercise
					if c.access {
						run = nativetest.Access
					}
					got := run(t, driver, map[string]string{"library": file, "wait": "yield"})
					if !f.Happened() {
						t.Errorf("%s: it is not called so often, so the test shows nothing", faults)
					}
					for rank, err := range got {
						if err != nil && !typed(err) {
							t.Errorf("%s: rank %d: an error without a type: %v", faults, rank, err)
						}
					}
					if c.reported && got[0] == nil && got[1] == nil {
						t.Errorf("%s: no rank reports it", faults)
					}
				}
			}
		})
	}
	for _, function := range functionNames() {
		if _, known := calls[function]; !known && !errorless[function] {
			t.Errorf("the test leaves out %s", function)
		}
	}
	f.Order("")
	for rank, err := range nativetest.Exercise(t, driver, map[string]string{"library": file}) {
		if err != nil {
			t.Errorf("rank %d: %v without any fault", rank, err)
		}
	}
}

// TestErrorsOfOneRank has a rank send synchronous messages to itself while each call of the
// library has no room, or fails, or both in turn. Nothing hangs, and the error of a lack of memory
// names the rank that lacks it, and no peer.
func TestErrorsOfOneRank(t *testing.T) {
	const io, noMemory, busy = 3, 4, 15
	file := emulator(t)
	f := nativetest.NewFaults(t, file)
	// Notes have the first receives: without them a rank does not open.
	for function, first := range map[string]int{"mxm_req_send": 1, "mxm_req_recv": 9} {
		for _, codes := range [][]int{{io}, {noMemory}, {busy}, {busy, busy}, {busy, io}, {busy, noMemory}} {
			nth := first
			for ; ; nth++ {
				faults := ""
				for _, code := range codes {
					faults += fmt.Sprintf("fail=%s:%d:%d ", function, code, nth)
				}
				f.Order(faults)
				t.Log(faults)
				err := nativetest.Alone(t, driver, map[string]string{"library": file})
				if !f.Happened() {
					break
				}
				switch last := codes[len(codes)-1]; {
				case last == busy && err != nil, err != nil && !typed(err),
					last == noMemory && err != nil && !strings.Contains(err.Error(), "this rank has no memory"),
					last == noMemory && errors.As(err, new(*device.PeerError)):
					t.Errorf("%s: %v", faults, err)
				}
			}
			if nth < first+8 {
				t.Errorf("%s is called %d times", function, nth-1)
			}
		}
	}
}

// errorless are the functions that return no error.
var errorless = map[string]bool{
	"mxm_get_version": true, "mxm_error_string": true, "mxm_config_free_context_opts": true, "mxm_config_free_ep_opts": true,
	"mxm_cleanup": true, "mxm_ep_destroy": true, "mxm_conn_ctx_get": true, "mxm_mq_destroy": true,
}

// TestLibrariesThatCannotBeUsed names each with the reason.
func TestLibrariesThatCannotBeUsed(t *testing.T) {
	before := loaded.name
	defer func() { loaded.name = before }()
	for _, c := range []struct {
		open, file string
		kind       native.Kind
	}{
		{"", "/nowhere/libmxm.so.2", native.Absent},
		{"", "libc.so.6", native.TooOld},
		{"libmxm.so.2", "/opt/libmxm.so.2", native.InUse},
	} {
		loaded.name = c.open
		opts, err := device.ParseOptions(driver.Declared, map[string]string{"library": c.file})
		if err != nil {
			t.Fatal(err)
		}
		err = load(opts)
		var e *native.Error
		if !errors.As(err, &e) || e.Kind != c.kind {
			t.Errorf("%s: the error is %v, want one of kind %d", c.file, err, c.kind)
		}
	}
}
