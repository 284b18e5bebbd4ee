//go:build cgo && (gni || mxm)

// Package nativetest tests transports over emulators of vendors' libraries: it compiles the
// emulator, asks it for faults, and runs a conversation of two ranks of this process.
package nativetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"gobench/device"
	"gobench/transports/native"
)

var built = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("GOBENCH_EMULATORS"); dir != "" { // with sanitizers
		return dir, nil
	}
	root, err := os.Getwd()
	for err == nil && !exists(filepath.Join(root, "go.mod")) {
		if root == filepath.Dir(root) {
			return "", errors.New("the tests are not in a module")
		}
		root = filepath.Dir(root)
	}
	dir := filepath.Join(root, ".cache", "emulators")
	out, err := exec.Command(filepath.Join(root, "scripts", "emulators.sh"), dir).CombinedOutput()
	os.Stderr.Write(out)
	return dir, err
})

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Library returns the emulator with a soname, which is compiled first.
func Library(t testing.TB, soname string) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatalf("compiling the emulators: %v", err)
	}
	return filepath.Join(dir, soname)
}

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

// Exercise opens a device on each of two ranks, sends messages of every kind both ways and closes.
// It returns the errors of both.
func Exercise(t *testing.T, driver device.Driver, set map[string]string) [2]error {
	t.Helper()
	return both(t, driver, set, converse)
}

// Access opens a channel of level raw on each of two ranks, which put into each other's memory, get
// from it, and close. It returns the errors of both.
func Access(t *testing.T, driver device.Driver, set map[string]string) [2]error {
	t.Helper()
	return both(t, driver, set, func(driver device.Driver, job pairJob, opts device.Options) error {
		c, err := driver.(device.RawOpener).OpenRaw(context.Background(), job, opts)
		if err != nil {
			return err
		}
		return errors.Join(access(c, 1-job.rank), c.Close())
	})
}

type aloneJob struct{}

func (aloneJob) Rank() int      { return 0 }
func (aloneJob) Size() int      { return 1 }
func (aloneJob) LocalSize() int { return 1 }
func (aloneJob) Hosts() []int   { return []int{0} }
func (aloneJob) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	return [][]byte{blob}, nil
}

// Alone opens a device on the only rank of a job, which sends synchronous messages to itself, and
// closes. After an error that is not of the peer it goes on.
func Alone(t *testing.T, driver device.Driver, set map[string]string) error {
	t.Helper()
	opts, err := device.ParseOptions(driver.Options(), set)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		d, err := driver.Open(context.Background(), aloneJob{}, opts)
		if err != nil {
			done <- err
			return
		}
		for tag := range int32(4) {
			err = errors.Join(err, toSelf(d, tag))
		}
		done <- errors.Join(err, d.Close())
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the rank does not end")
		return nil
	}
}

// toSelf sends one message. A receive that nothing is sent to must not end.
func toSelf(d device.Device, tag int32) error {
	in := make([]byte, 1)
	r, err := d.Irecv(in, 0, tag, 0)
	if err != nil {
		return err
	}
	if _, done, err := d.Test(r); done {
		return err
	}
	s, err := d.Issend([]byte{byte(tag)}, 0, tag, 0)
	if err != nil {
		return errors.Join(err, d.Cancel(r), wait(d, r))
	}
	idle, err := d.Irecv(nil, 0, 100, 0)
	if err != nil {
		return err
	}
	var failed error
	if tag%2 == 1 {
		if q, err := d.Peek(); err == nil && q != s && q != r {
			if _, failed = d.Wait(q); failed == nil {
				failed = errors.New("a receive of nothing ends")
			}
		}
	}
	if err := wait(d, s); err != nil {
		failed = errors.Join(failed, err, d.Cancel(r))
	}
	failed = errors.Join(failed, wait(d, r), d.Cancel(idle), wait(d, idle))
	if failed == nil && in[0] != byte(tag) {
		return errors.New("wrong data in a message to itself")
	}
	return failed
}

func wait(d device.Device, q device.Request) error {
	_, err := d.Wait(q)
	return err
}

// both runs a function on two ranks and returns their errors.
func both(t *testing.T, driver device.Driver, set map[string]string, run func(device.Driver, pairJob, device.Options) error) [2]error {
	t.Helper()
	opts, err := device.ParseOptions(driver.Options(), set)
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
			got[rank] = run(driver, jobs[rank], opts)
		}()
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("a rank does not end; so far %v", got)
	}
	return got
}

// conversation are the sizes of the messages: packets, GETs by FMA and by BTE, aligned and not,
// PUTs.
var conversation = []int{0, 8, 5000, 16388, 17001, 40000, 100001}

func converse(driver device.Driver, job pairJob, opts device.Options) error {
	d, err := driver.Open(context.Background(), job, opts)
	if err != nil {
		return err
	}
	err = talk(d, 1-job.rank)
	return errors.Join(err, d.Close())
}

func talk(d device.Device, peer int) error {
	for i, n := range conversation {
		if err := exchange(d, peer, int32(i), n); err != nil {
			return err
		}
	}
	// What nobody has sent is not there, and its receive can be cancelled. If the library refuses
	// that, the receive gets the message that follows. Without one, a slow rank would probe for a
	// message of a rank that has closed, which is an error.
	tag := int32(len(conversation))
	_, found, err := d.Iprobe(peer, tag, 0)
	if found {
		err = errors.New("a probe finds a message that nobody has sent")
	}
	if err != nil {
		return err
	}
	r, err := d.Irecv(nil, peer, tag, 0)
	if err == nil {
		err = d.Cancel(r)
	}
	if err == nil {
		err = exchange(d, peer, tag+1, 0) // both have probed
	}
	if err == nil {
		err = d.Send(nil, peer, tag, 0)
	}
	var status device.Status
	if err == nil {
		status, err = d.Wait(r)
	}
	if err == nil && status.Cancelled {
		_, err = d.Recv(nil, peer, tag, 0)
	}
	return err
}

// exchange sends n bytes to the other rank and receives as many from it.
func exchange(d device.Device, peer int, tag int32, n int) error {
	out, in := bytes.Repeat([]byte{byte(n + d.Rank())}, n), make([]byte, n)
	context := 100 * tag // some have no fixed queue in mxm
	r, err := d.Irecv(in, peer, tag, context)
	if err != nil {
		return err
	}
	if err := d.Send(out, peer, tag, context); err != nil {
		return err
	}
	if _, err := d.Wait(r); err != nil {
		return err
	}
	if want := bytes.Repeat([]byte{byte(n + peer)}, n); !bytes.Equal(in, want) {
		return fmt.Errorf("wrong data in a message of %d bytes", n)
	}
	return nil
}

func access(c device.Channel, peer int) error {
	const n = 5000
	out, in := bytes.Repeat([]byte{byte(1 + c.Rank())}, n), make([]byte, n)
	l, err := c.(device.Linker).Link(peer, out, in)
	if err != nil {
		return err
	}
	err = l.Put(2, 2, nil)
	// The peer has put when it sends this, and may go when this rank has got what it put itself.
	meet := func() error {
		r, err := c.Irecv(nil, peer, 0, 0)
		if err == nil {
			err = c.Send(nil, peer, 0, 0)
		}
		if err == nil {
			_, err = c.Wait(r)
		}
		return err
	}
	if err == nil {
		err = meet()
	}
	if want := bytes.Repeat([]byte{byte(1 + peer)}, n); err == nil && !bytes.Equal(in, want) {
		err = errors.New("wrong data in a put")
	}
	if err == nil {
		err = l.Get(2, 2, nil)
	}
	if want := bytes.Repeat([]byte{byte(1 + c.Rank())}, n); err == nil && !bytes.Equal(out, want) {
		err = errors.New("wrong data in a get")
	}
	if err == nil {
		err = meet()
	}
	l.Close()
	return err
}

// Faults calls an emulator's own functions.
type Faults struct {
	library     *native.Library
	caller      native.Caller
	set, unused unsafe.Pointer
}

// NewFaults opens the emulator, whose faults end with the test.
func NewFaults(t *testing.T, file string) *Faults {
	t.Helper()
	l, err := native.Open(native.Private, file)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := native.NewCaller()
	if err != nil {
		t.Fatal(err)
	}
	f := &Faults{l, caller, l.Function("gobench_emulator_set"), l.Function("gobench_emulator_unused")}
	t.Cleanup(func() {
		f.Order("")
		caller.Close()
		l.Close()
	})
	return f
}

// Order replaces the faults that are asked for.
func (f *Faults) Order(text string) {
	b := append([]byte(text), 0)
	f.caller.Call(f.set, uintptr(unsafe.Pointer(&b[0])), 0)
	runtime.KeepAlive(b)
}

// Happened reports whether all failures of functions that were asked for have happened.
func (f *Faults) Happened() bool { return f.caller.Call(f.unused, 0, 0) == 0 }
