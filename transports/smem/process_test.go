package smem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// until polls a wire until ok, at most for ten seconds.
func until(w *wire, s *heard, ok func() bool) error {
	for start := time.Now(); !ok(); {
		if !w.Poll(device.AnySource, s) {
			runtime.Gosched()
		}
		w.Idle(s)
		if time.Since(start) > 10*time.Second {
			return errors.New("nothing came in ten seconds")
		}
	}
	return nil
}

func push(w *wire, s *heard, to int, h protocol.Header, data []byte) {
	for !w.Push(to, h, data) {
		w.Poll(to, s)
	}
}

func encodeKey(k protocol.Key) (b []byte) {
	for _, word := range k {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

func decodeKey(b []byte) (k protocol.Key) {
	for i := range k {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return k
}

// Kinds of packets between the ranks of these tests.
const (
	sayKey  = iota + 1 // a key follows
	sayDone            // go on
	sayGone            // the region is freed
)

func init() {
	// echo returns every packet until it gets one without data.
	roles["echo"] = func(job device.Job, args map[string]string) error {
		ring := minRing
		if given := args["ring"]; given != "" {
			ring, _ = strconv.Atoi(given)
		}
		w, err := openWire(context.Background(), job, nil, ring, cmaAuto, "auto")
		if err != nil {
			return err
		}
		var s heard
		for {
			if err := until(w, &s, func() bool { return len(s.packets) > 0 }); err != nil {
				return err
			}
			for i := 0; i < len(s.packets); i++ {
				if len(s.data[i]) == 0 {
					return w.Close()
				}
				push(w, &s, s.from[i], s.packets[i], s.data[i])
			}
			s.packets, s.data, s.from = nil, nil, nil
		}
	}
	// last sends one packet and waits to be killed.
	roles["last"] = func(job device.Job, args map[string]string) error {
		w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
		if err != nil {
			return err
		}
		w.Push(0, protocol.Header{W0: 7}, []byte("last words"))
		select {}
	}
	roles["memory"] = memoryRole
	// open opens and closes, cross memory attach forbidden as asked.
	roles["open"] = func(job device.Job, args map[string]string) error {
		if args["forbid"] != "" {
			if err := forbidCMA(); err != nil {
				return err
			}
		}
		w, err := openWire(context.Background(), job, nil, minRing, args["cma"], "auto")
		if (err != nil) != (args["fails"] != "") {
			return fmt.Errorf("open: %v", err)
		}
		if err != nil {
			return nil
		}
		if want := args["reach"]; want != fmt.Sprint(w.reach) {
			return fmt.Errorf("reach is %d, want %s", w.reach, want)
		}
		return w.Close()
	}
}

func TestProcessesEcho(t *testing.T) {
	job := processJob(t, 4, "echo", nil)
	w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var s heard
	const packets = 300
	for i := range packets {
		for to := 1; to < 4; to++ {
			data := make([]byte, 1+(i*37)%w.limits.Packet)
			pattern(data, uint64(i))
			push(w, &s, to, protocol.Header{W0: uint64(i), W1: 5, W2: uint64(to)}, data)
		}
		if err := until(w, &s, func() bool { return len(s.packets) >= 3*(i-2) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := until(w, &s, func() bool { return len(s.packets) == 3*packets }); err != nil {
		t.Fatal(err)
	}
	next := make([]uint64, 4)
	for i, h := range s.packets {
		from := s.from[i]
		want := make([]byte, 1+(int(h.W0)*37)%w.limits.Packet)
		pattern(want, h.W0)
		if h.W0 != next[from] || h.W2 != uint64(from) || !bytes.Equal(want, s.data[i]) {
			t.Fatalf("packet %d of rank %d came as %v", next[from], from, h)
		}
		next[from]++
	}
	for to := 1; to < 4; to++ {
		push(w, &s, to, protocol.Header{}, nil)
	}
}

func TestKilledPeerIsReportedAfterItsPackets(t *testing.T) {
	for _, byStat := range []bool{false, true} {
		t.Run(fmt.Sprintf("stat=%v", byStat), func(t *testing.T) {
			job := processJob(t, 3, "last", nil)
			w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if byStat {
				// As on a kernel without pidfds.
				for rank := 1; rank < 3; rank++ {
					w.watch.forget(rank)
					if err := w.watch.addStat(rank, w.peers[rank].endpoint.PID); err != nil {
						t.Fatal(err)
					}
				}
			}
			var s heard
			w.watch.look(1)
			w.watch.look(2)
			if w.lost(1)+w.lost(2) != "" {
				t.Fatalf("living peers are lost: %s%s", w.lost(1), w.lost(2))
			}
			for _, _, ok := w.peers[2].look(); !ok; _, _, ok = w.peers[2].look() {
				runtime.Gosched()
			}
			// It is a zombie until waited for: that is an end, too.
			pid := job.children[2].Process.Pid
			if err := job.children[2].Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := until(w, &s, func() bool { return len(s.failures) > 0 }); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("process %d has ended", pid); s.failures[2] != want || len(s.failures) != 1 {
				t.Errorf("failures %v, want %q of rank 2", s.failures, want)
			}
			heardLast := false
			for i, from := range s.from {
				heardLast = heardLast || from == 2 && string(s.data[i]) == "last words"
			}
			if !heardLast {
				t.Error("the last packet of the dead is lost")
			}
			buf := make([]byte, 8)
			w.Get(2, protocol.Key{keyAddress, 4096, 0, 8}, 0, buf, protocol.Key{}, 1)
			w.Poll(2, &s)
			var lost *device.PeerError
			if !errors.As(s.ended[1], &lost) || lost.Rank != 2 {
				t.Errorf("a get from the dead ends with %v", s.ended[1])
			}
			if _, err := w.coreLatency(2, 0, 10); !errors.As(err, &lost) {
				t.Errorf("the core latency to a dead peer is %v", err)
			}
			for rank := 1; rank < 3; rank++ {
				job.children[rank].Process.Kill()
				job.children[rank].Wait()
				job.children[rank] = nil
			}
		})
	}
}

// memoryRole offers ordinary memory, then a region, for the peer to read and
// write, and checks what was written.
func memoryRole(job device.Job, args map[string]string) error {
	w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
	if err != nil {
		return err
	}
	var s heard
	const size = 100_001
	buffers := [][]byte{make([]byte, size)}
	for range 2 {
		b, err := w.Alloc(size)
		if err != nil {
			return err
		}
		buffers = append(buffers, b)
	}
	for i, b := range buffers {
		pattern(b, uint64(i))
		key, err := w.Register(b)
		if err != nil {
			return err
		}
		push(w, &s, 0, protocol.Header{W0: sayKey}, encodeKey(key))
		if err := until(w, &s, func() bool { return len(s.packets) == 1 }); err != nil {
			return err
		}
		s.packets, s.data, s.from = nil, nil, nil
		want := make([]byte, size)
		pattern(want, uint64(i)+10)
		if !bytes.Equal(b, want) {
			return fmt.Errorf("buffer %d: a put has gone wrong", i)
		}
		if i > 0 {
			if err := w.Free(b); err != nil {
				return err
			}
		}
		push(w, &s, 0, protocol.Header{W0: sayGone}, nil)
	}
	return w.Close()
}

func TestMemoryOfAnotherProcess(t *testing.T) {
	if err := cmaError(); err != nil {
		t.Skipf("SKIPPED: process_vm_readv: %v", err)
	}
	job := processJob(t, 2, "memory", nil)
	w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.reach != reachCMA {
		t.Fatalf("cross memory attach: %s", w.refusal)
	}
	var s heard
	for i := range 3 {
		if err := until(w, &s, func() bool { return len(s.packets) == 1 }); err != nil {
			t.Fatal(err)
		}
		key := decodeKey(s.data[0])
		if i > 0 != (key[0]&0xffffffff == keyRegion) {
			t.Errorf("buffer %d has a key of kind %d", i, uint32(key[0]))
		}
		got, want := make([]byte, key[3]), make([]byte, key[3])
		pattern(want, uint64(i))
		// In two parts, as a split does.
		half := len(got) / 2
		for _, part := range [][2]int{{half, len(got)}, {0, half}} {
			if r := w.Get(1, key, part[0], got[part[0]:part[1]], protocol.Key{}, 1); r != protocol.Done {
				t.Fatalf("get: %v, %v", r, w.jobs)
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("buffer %d: a get brings the wrong data", i)
		}
		pattern(want, uint64(i)+10)
		if r := w.Put(1, key, 0, want, protocol.Key{}, 2); r != protocol.Done {
			t.Fatalf("put: %v, %v", r, w.jobs)
		}
		if n := len(w.peers[1].mapped.list); n != min(i, 1) {
			t.Errorf("buffer %d: %d regions are mapped: freed ones must go", i, n)
		}
		s = heard{}
		push(w, &s, 1, protocol.Header{W0: sayDone}, nil)
		if err := until(w, &s, func() bool { return len(s.packets) >= 1 }); err != nil {
			t.Fatal(err)
		}
		s.packets, s.data, s.from = s.packets[1:], s.data[1:], s.from[1:]
		if i > 0 {
			r := w.Get(1, protocol.Key{key[0], key[1] + 1000, 0, 8}, 0, got[:8], protocol.Key{}, 3)
			w.Poll(1, &s)
			if r == protocol.Done || s.ended[3] == nil {
				t.Error("a region that does not exist could be read")
			}
		}
	}
	for token, bad := range []protocol.Key{{99, 0, 0, 8}, {keyAddress, 0, 0, 8}, {keyAddress, 4096, 0, 4}, {keyRegion | 2<<32, 5, 0, 8}} {
		w.Get(1, bad, 0, make([]byte, 8), protocol.Key{}, uint64(token)+10)
		w.Poll(1, &s)
		if s.ended[uint64(token)+10] == nil {
			t.Errorf("a get by key %v is no error", bad)
		}
	}
}

func TestDifferentRings(t *testing.T) {
	job := processJob(t, 2, "open", map[string]string{"cma": cmaAuto, "fails": "yes"})
	_, err := openWire(context.Background(), job, nil, 4*minRing, cmaAuto, "auto")
	if err == nil || !strings.Contains(err.Error(), "ring_bytes") {
		t.Errorf("open: %v", err)
	}
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestNothingStays: no descriptor, no mapping and no file after Close.
func TestNothingStays(t *testing.T) {
	shm := func() string { // other programs have files there, too
		list, _ := filepath.Glob("/dev/shm/gobench*")
		return fmt.Sprint(list)
	}
	maps := func() int {
		text, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "gobench-")
	}
	files, descriptorsBefore := shm(), descriptors(t)
	job := processJob(t, 3, "open", map[string]string{"cma": cmaAuto, "reach": fmt.Sprint(reachHere())})
	w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	if n := maps(); n != 1 {
		t.Errorf("%d mappings while open, want 1", n)
	}
	if _, err := w.Alloc(10000); err != nil {
		t.Fatal(err)
	}
	if shm() != files {
		t.Errorf("/dev/shm was %s, is %s", files, shm())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for rank, c := range job.children[1:] {
		if err := c.Wait(); err != nil {
			t.Errorf("rank %d: %v", rank+1, err)
		}
		job.children[rank+1] = nil
		job.conns[rank+1].Close()
	}
	if n := maps(); n != 0 {
		t.Errorf("%d mappings after Close", n)
	}
	if n := descriptors(t); n != descriptorsBefore {
		t.Errorf("%d descriptors before, %d after", descriptorsBefore, n)
	}
	if shm() != files {
		t.Errorf("/dev/shm was %s, is %s", files, shm())
	}
}

// All pages of a small group's file are mapped at open, so that no message takes page faults.
func TestRingsAreMappedAtOpen(t *testing.T) {
	job := processJob(t, 2, "echo", map[string]string{"ring": fmt.Sprint(defaultRing)})
	w, err := openWire(context.Background(), job, nil, defaultRing, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer push(w, &heard{}, 1, protocol.Header{}, nil)
	if w.peers[0].endpoint.Crowded {
		t.Skip("SKIPPED: two ranks have less than two processors here")
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, own, found := strings.Cut(string(maps), fmt.Sprintf("%x-", address(w.file)))
	if !found {
		t.Fatal("the file of the group is not mapped")
	}
	_, size, _ := strings.Cut(own, "\nRss:")
	var mapped int
	if fmt.Sscan(size, &mapped); mapped != len(w.file)>>10 {
		t.Errorf("%d of %d KiB are mapped", mapped, len(w.file)>>10)
	}
}
