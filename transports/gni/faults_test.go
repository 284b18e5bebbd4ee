//go:build gni && cgo

package gni

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"gobench/device"
	"gobench/transports/gni/ugni"
	"gobench/transports/native"
)

// pairJob is the job of two ranks in one process.
type pairJob struct {
	rank  int
	state *exchanges
}

// exchanges are the blobs of the ranks, round by round.
type exchanges struct {
	mu    sync.Mutex
	cond  *sync.Cond
	blobs [2][][]byte
}

func newPair() [2]pairJob {
	e := new(exchanges)
	e.cond = sync.NewCond(&e.mu)
	return [2]pairJob{{0, e}, {1, e}}
}

func (j pairJob) Rank() int      { return j.rank }
func (j pairJob) Size() int      { return 2 }
func (j pairJob) LocalSize() int { return 3 } // more than there are processors: ranks yield
func (j pairJob) Hosts() []int   { return []int{0, 0} }
func (j pairJob) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	e := j.state
	e.mu.Lock()
	defer e.mu.Unlock()
	round := len(e.blobs[j.rank])
	e.blobs[j.rank] = append(e.blobs[j.rank], blob)
	e.cond.Broadcast()
	for len(e.blobs[1-j.rank]) <= round {
		e.cond.Wait()
	}
	return [][]byte{e.blobs[0][round], e.blobs[1][round]}, nil
}

// exercise opens a device on each of two ranks, sends messages of every kind both ways and closes. It
// returns the errors of both.
func exercise(t *testing.T, set map[string]string) [2]error {
	t.Helper()
	opts, err := device.ParseOptions(driver{}.Options(), set)
	if err != nil {
		t.Fatal(err)
	}
	jobs := newPair()
	var got [2]error
	var wait sync.WaitGroup
	for rank := range jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			got[rank] = converse(jobs[rank], opts)
		}()
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("a rank does not end")
	}
	return got
}

// conversation are the sizes of the messages: packets, GETs by FMA and by BTE, aligned and not, PUTs.
var conversation = []int{0, 8, 5000, 16388, 17001, 40000, 100001}

func converse(job pairJob, opts device.Options) error {
	d, err := driver{}.Open(context.Background(), job, opts)
	if err != nil {
		return err
	}
	err = talk(d, 1-job.rank)
	return errors.Join(err, d.Close())
}

func talk(d device.Device, peer int) error {
	for i, n := range conversation {
		out, in := bytes.Repeat([]byte{byte(n + d.Rank())}, n), make([]byte, n)
		want := bytes.Repeat([]byte{byte(n + peer)}, n)
		r, err := d.Irecv(in, peer, int32(i), 0)
		if err != nil {
			return err
		}
		if err := d.Send(out, peer, int32(i), 0); err != nil {
			return err
		}
		if _, err := d.Wait(r); err != nil {
			return err
		}
		if !bytes.Equal(in, want) {
			return fmt.Errorf("wrong data in a message of %d bytes", n)
		}
	}
	return nil
}

// faults calls the emulator's own functions.
type faults struct {
	library     *native.Library
	caller      native.Caller
	set, unused unsafe.Pointer
}

func newFaults(t *testing.T) *faults {
	t.Helper()
	file := emulator(t)
	if _, err := ugni.Load(file); err != nil {
		t.Fatal(err)
	}
	l, err := native.Open(native.Private, file)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := native.NewCaller()
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{l, caller, l.Function("gni_emulator_set"), l.Function("gni_emulator_unused")}
	t.Cleanup(func() {
		f.order("")
		caller.Close()
		l.Close()
	})
	return f
}

// order replaces the faults that are asked for.
func (f *faults) order(text string) {
	b := append([]byte(text), 0)
	f.caller.Call(f.set, uintptr(unsafe.Pointer(&b[0])), 0)
	runtime.KeepAlive(b)
}

// happened reports whether all failures of functions that were asked for have happened.
func (f *faults) happened() bool { return f.caller.Call(f.unused, 0, 0) == 0 }

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

// TestEveryErrorOfEveryFunction has the library return every code of every function once: the message
// arrives all the same, or both ranks get an error that names the peer or the function. Nothing hangs.
func TestEveryErrorOfEveryFunction(t *testing.T) {
	f, file := newFaults(t), emulator(t)
	for _, function := range ugni.Functions() {
		if !strings.HasPrefix(function, "GNI_") {
			continue // an accessor of an event, which returns no code
		}
		t.Run(function, func(t *testing.T) {
			happened := 0
			for code := 1; code <= codes; code++ {
				for _, nth := range []int{1, 3} {
					set := map[string]string{"library": file, "peer_timeout": "40", "wait": "yield"}
					if strings.Contains(function, "PostData") {
						set["connect"] = "lazy"
					}
					faults := fmt.Sprintf("fail=%s:%d:%d", function, code, nth)
					switch function {
					case "GNI_CqErrorRecoverable":
						faults += " transient=0.3"
					case "GNI_CqErrorStr":
						faults += " fatal=0.3"
					case "GNI_PostFma":
						set["fma_limit"] = "1GiB"
					}
					f.order(faults)
					got := exercise(t, set)
					if f.happened() {
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
	f.order("")
	for rank, err := range exercise(t, map[string]string{"library": file}) {
		if err != nil {
			t.Errorf("rank %d: %v without any fault", rank, err)
		}
	}
}

// neverCalled are functions that are called once in a process (ugni.TestLibraries), or for what this
// conversation does not do.
var neverCalled = map[string]bool{
	"GNI_GetVersion": true, "GNI_GetNumLocalDevices": true, "GNI_GetDeviceType": true,
	"GNI_EpPostDataCancelById": true, // only of greetings that cross
}

// TestFatalFaults are faults that end a connection or the NIC: both ranks get an error.
func TestFatalFaults(t *testing.T) {
	f, file := newFaults(t), emulator(t)
	for _, faults := range []string{"fatal=1", "nic=3", "nic=9", "transient=1"} {
		f.order(faults)
		for rank, err := range exercise(t, map[string]string{"library": file, "peer_timeout": "40"}) {
			var peer *device.PeerError
			if !errors.As(err, &peer) {
				t.Errorf("%s: rank %d gets %v, want an error of its peer", faults, rank, err)
			}
		}
	}
}
