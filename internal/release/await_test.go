package release_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"gobench/internal/release"
)

// Await finds a value that is there with one poll, gives up after its polls, and sees what was
// written before the value was stored.
func TestAwait(t *testing.T) {
	word := uint64(1)
	for _, polls := range []int{1, 0, -1, 100} {
		if !release.Await(&word, 1, polls) {
			t.Errorf("Await with %d polls does not find the value that is there", polls)
		}
		if release.Await(&word, 2, polls) {
			t.Errorf("Await with %d polls finds a value that is not there", polls)
		}
	}
	const rounds = 1000
	var line struct {
		word uint64
		_    [120]byte
		data int
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range rounds {
			for !release.Await(&line.word, uint64(2*i+1), 1000) {
				runtime.Gosched()
			}
			if line.data != i {
				t.Errorf("round %d reads %d", i, line.data)
			}
			line.data = -1
			release.Store(&line.word, uint64(2*i+2))
		}
	}()
	for i := range rounds {
		line.data = i
		release.Store(&line.word, uint64(2*i+1))
		for !release.Await(&line.word, uint64(2*i+2), 1000) {
			runtime.Gosched()
		}
		if line.data != -1 {
			t.Errorf("the answer of round %d reads %d", i, line.data)
		}
	}
	<-done
	if got := atomic.LoadUint64(&line.word); got != 2*rounds {
		t.Errorf("the line ends at %d, want %d", got, 2*rounds)
	}
}

// TestPrefetchesChangeNothing prefetches memory for reading and for writing, and past its end.
func TestPrefetchesChangeNothing(t *testing.T) {
	memory := make([]byte, 1<<12)
	for i := range memory {
		memory[i] = byte(i)
	}
	for _, n := range []int{1, 64, 65, len(memory), 1 << 24} {
		release.Fetch(unsafe.Pointer(&memory[0]), n)
		release.Claim(unsafe.Pointer(&memory[0]), n)
	}
	for i, b := range memory {
		if b != byte(i) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}
