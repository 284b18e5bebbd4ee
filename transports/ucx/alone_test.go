//go:build ucx && cgo

package ucx

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"
	"weak"

	"gobench/device"
	"gobench/transports/native/tagged"
)

// alone is the job of one rank.
type alone struct{}

func (alone) Rank() int      { return 0 }
func (alone) Size() int      { return 1 }
func (alone) LocalSize() int { return 1 }
func (alone) Hosts() []int   { return []int{0} }
func (alone) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	return [][]byte{blob}, nil
}

// TestActiveMessages exchanges messages of a rank with itself as active messages: received before
// and after they arrive, by tag and in their order, too long for their receive, cancelled, and left
// over at the end.
func TestActiveMessages(t *testing.T) {
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "posix,self", "wait": "spin"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(context.Background(), alone{}, options, activeMessages)
	if err != nil {
		t.Fatal(err)
	}
	d, err := tagged.New(c)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	isend := func(b []byte, tag int32) device.Request {
		t.Helper()
		q, err := d.Isend(b, 0, tag, 0)
		must(err)
		return q
	}
	for _, size := range []int{0, 8, 5000, 70_000, 1 << 20} {
		first, second := bytes.Repeat([]byte{1}, size), bytes.Repeat([]byte{2}, size)
		in := make([]byte, size)
		check := func(st device.Status, err error, tag int32, want []byte) {
			t.Helper()
			if err != nil || st.Tag != tag || st.Size != size || !bytes.Equal(in, want) {
				t.Errorf("%d bytes: the result is %+v, %v", size, st, err)
			}
		}
		posted, err := d.Irecv(in, 0, 7, 0)
		must(err)
		sent := isend(first, 7)
		st, err := d.Wait(posted)
		check(st, err, 7, first)
		_, err = d.Wait(sent)
		must(err)

		sends := []device.Request{isend(first, 1), isend(second, 2), isend(first, 2)}
		st, err = d.Probe(0, 2, 0)
		must(err)
		if st.Size != size {
			t.Errorf("%d bytes: the probe finds %+v", size, st)
		}
		st, err = d.Recv(in, 0, 2, 0)
		check(st, err, 2, second)
		st, err = d.Recv(in, 0, device.AnyTag, 0)
		check(st, err, 1, first)
		st, err = d.Recv(in, device.AnySource, 2, 0)
		check(st, err, 2, first)
		for _, q := range sends {
			_, err := d.Wait(q)
			must(err)
		}
		if size > 0 {
			sent := isend(first, 3)
			var long *device.TruncationError
			if _, err := d.Recv(in[:size-1], 0, 3, 0); !errors.As(err, &long) || long.Size != size {
				t.Errorf("%d bytes: the error is %v", size, err)
			}
			_, err = d.Wait(sent)
			must(err)
		}
	}
	q, err := d.Irecv(make([]byte, 8), 0, 9, 0)
	must(err)
	must(d.Cancel(q))
	if st, err := d.Wait(q); err != nil || !st.Cancelled {
		t.Errorf("the cancelled receive ends with %+v, %v", st, err)
	}
	must(d.Send(make([]byte, 5000), 0, 5, 0))
	must(d.Close())
}

// TestRegionsAfterADeath asks for a region with a rank whose connection is gone: this rank itself,
// after an interrupt.
func TestRegionsAfterADeath(t *testing.T) {
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "tcp", "errors": "peer"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := open(context.Background(), alone{}, options)
	if err != nil {
		t.Fatal(err)
	}
	d.(device.Interrupter).Interrupt(errors.New("stop"))
	var interrupted *device.InterruptedError
	if _, err := d.Recv(nil, 0, 1, 0); !errors.As(err, &interrupted) {
		t.Fatalf("the interrupted receive ends with %v", err)
	}
	regions := d.(device.RegionAllocator)
	if regions.Regions([]int{0}) {
		t.Error("a rank without a connection can take part")
	}
	if _, err := regions.AllocRegion(1, []int{0}, 8); !errors.As(err, &interrupted) {
		t.Errorf("the error of the region is %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestRegionWithoutMemory refuses a region for which a rank has no memory.
func TestRegionWithoutMemory(t *testing.T) {
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "posix,self"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(context.Background(), alone{}, options, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.Remote.Alloc = func(int) ([]byte, unsafe.Pointer, []byte, error) {
		return nil, nil, nil, errors.New("no memory")
	}
	d, err := tagged.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.AllocRegion(1, []int{0}, 8); err != errors.ErrUnsupported {
		t.Errorf("the error of the region is %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseEndsGets closes a device with a get that no Flush has completed. The get ends before,
// and the device keeps its buffer until then.
func TestCloseEndsGets(t *testing.T) {
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "tcp"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := open(context.Background(), alone{}, options)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte{7}, 1<<20)
	g, err := d.(device.RegionAllocator).AllocRegion(1, []int{0}, len(want))
	if err != nil {
		t.Fatal(err)
	}
	copy(g.Bytes(), want)
	data := make([]byte, len(want))
	first := weak.Make(&data[0])
	if err := g.Get(data, 0, 0); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if b := first.Value(); b == nil {
		t.Error("the buffer of the get was freed")
	} else if !bytes.Equal(unsafe.Slice(b, len(want)), want) {
		t.Error("the device is closed, and the get has not ended")
	}
	runtime.KeepAlive(d)
}

// BenchmarkSelf sends 8 bytes to the rank itself and receives them: what the calls cost, without a
// peer.
func BenchmarkSelf(b *testing.B) {
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "posix,self", "wait": "spin"})
	if err != nil {
		b.Fatal(err)
	}
	d, err := driver.Open(context.Background(), alone{}, options)
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	out, in := make([]byte, 8), make([]byte, 8)
	for b.Loop() {
		if err := d.Send(out, 0, 1, 0); err != nil {
			b.Fatal(err)
		}
		if _, err := d.Recv(in, 0, 1, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNoEcho asks for echoes where no worker can reach the own queue, as after the deaths of two
// peers: only xpmem is not excluded, which few machines have.
func TestNoEcho(t *testing.T) {
	if _, err := os.Stat("/dev/xpmem"); err == nil {
		t.Skip("a worker reaches the queue by xpmem")
	}
	options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": "^posix,sysv", "errors": "none"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(context.Background(), alone{}, options, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := tagged.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !c.Echo(1<<63 | 1) {
			t.Error("an echo is awaited that cannot be sent")
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// Only transports with a queue in shared memory count as shared memory.
func TestQueuesInSharedMemory(t *testing.T) {
	t.Setenv("UCX_TLS", "")
	for tls, want := range map[string]bool{
		"auto": true, "all": true, "sm": true, "tcp,posix": true, "tcp": false, "tcp,self": false,
		"^tcp": true, "^posix": true, "^posix,sysv": true, "^cma,knem": true,
		"^sm": false, "^shm": false, "^mm": false, "^all": false, "^tcp,sm": false, "^xpmem,posix,sysv": false,
	} {
		if got := sharesMemory(tls); got != want {
			t.Errorf("tls=%s: %v", tls, got)
		}
		t.Setenv("UCX_TLS", tls)
		if got := sharesMemory("auto"); tls != "auto" && got != want {
			t.Errorf("UCX_TLS=%s: %v", tls, got)
		}
		t.Setenv("UCX_TLS", "")
	}
}

// TestEcho has a rank send messages to itself by its queue of shared memory, one after the other.
// None arrives before the rank takes what is in the queue.
func TestEcho(t *testing.T) {
	for _, tls := range []string{"posix,self", "posix,cma,self", "auto"} {
		options, err := device.ParseOptions(driver.Options(), map[string]string{"tls": tls, "wait": "spin"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := connect(context.Background(), alone{}, options, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, err := tagged.New(c)
		if err != nil {
			t.Fatal(err)
		}
		const tag = 1<<63 | 1
		for range 3 {
			if c.Echo(tag) {
				t.Errorf("tls=%s: a message has arrived that nobody has taken from the queue", tls)
			}
			arrived := false
			for end := time.Now().Add(20 * time.Second); !arrived && time.Now().Before(end); arrived = c.Echo(tag) {
				if _, _, err := d.Iprobe(0, 1, 0); err != nil {
					t.Fatal(err)
				}
			}
			if !arrived {
				t.Fatalf("tls=%s: the message does not arrive", tls)
			}
		}
		c.Echo(tag) // under way when the device is closed
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
