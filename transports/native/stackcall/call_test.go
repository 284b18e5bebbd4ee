//go:build amd64 && linux

package stackcall

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// function puts machine code where it can be run. So these tests need no C compiler.
func function(t *testing.T, code ...byte) uintptr {
	t.Helper()
	page, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(page) })
	copy(page, code)
	if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		t.Fatal(err)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(page)))
}

// stack is a new Stack.
func stack(t testing.TB) *Stack {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestArgumentsAndResult(t *testing.T) {
	s := stack(t)
	difference := function(t, 0x89, 0xf8, 0x29, 0xf0, 0xc3) // mov eax, edi; sub eax, esi; ret
	for _, c := range [][2]uintptr{{5, 3}, {3, 5}, {0, 1 << 31}} {
		if got, want := s.Call(difference, c[0], c[1]), int32(c[0])-int32(c[1]); got != want {
			t.Errorf("%d - %d = %d", c[0], c[1], got)
		}
	}
}

// Where a C function begins, the stack is 8 bytes past a multiple of 16.
func TestAlignment(t *testing.T) {
	at := function(t, 0x89, 0xe0, 0x83, 0xe0, 0x0f, 0xc3) // mov eax, esp; and eax, 15; ret
	s := stack(t)
	for depth := range 8 {
		if got := deeper(depth, s, at); got != 8 {
			t.Errorf("the stack is %d past a multiple of 16", got)
		}
	}
}

//go:noinline
func deeper(depth int, s *Stack, fn uintptr) int32 {
	if depth == 0 {
		return s.Call(fn, 0, 0)
	}
	var odd [8]byte
	got := deeper(depth-1, s, fn)
	runtime.KeepAlive(&odd)
	return got
}

// push returns a function that writes to the given number of bytes of its stack, from the top down.
func push(t *testing.T, bytes uint32) uintptr {
	size := binary.LittleEndian.AppendUint32([]byte{0xb9}, bytes) // mov ecx, bytes
	return function(t, append(size,
		0x48, 0x89, 0xe0, // mov rax, rsp
		0x48, 0xff, 0xc8, // again: dec rax
		0xc6, 0x00, 0xa5, // mov byte [rax], 0xa5
		0xff, 0xc9, // dec ecx
		0x75, 0xf6, // jnz again
		0x31, 0xc0, 0xc3)...) // xor eax, eax; ret
}

const returnAddress = 8 // of the function, on its stack

// All of Room is there, on the smallest goroutine, while others grow their stacks and garbage is
// collected, and what the caller had on its stack stays.
func TestRoom(t *testing.T) {
	deep := push(t, Room-returnAddress)
	var all sync.WaitGroup
	for g := range 16 {
		s := stack(t)
		all.Go(func() {
			for i := range 50 {
				before := [16]uint64{uint64(g), uint64(i), 3}
				s.Call(deep, 0, 0)
				if before != [16]uint64{uint64(g), uint64(i), 3} {
					t.Errorf("the caller's stack was written to: %v", before)
				}
			}
		})
	}
	for range 5 {
		runtime.GC()
	}
	all.Wait()
}

// A function that needs more than Room ends the process, in one that this test starts, and writes
// to nobody's memory.
func TestBeyondRoom(t *testing.T) {
	const beyond = "GOBENCH_TEST_BEYOND_ROOM"
	if os.Getenv(beyond) != "" {
		stack(t).Call(push(t, Room-returnAddress+1), 0, 0)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestBeyondRoom$")
	child.Env = append(os.Environ(), beyond+"=1")
	out, err := child.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || !strings.Contains(string(out)+ended.String(), "segmentation") && !strings.Contains(string(out), "SIGSEGV") {
		t.Errorf("the process ended with %v: %s", err, out)
	}
}

// The profiler's signals may come at any instruction, and the runtime's that interrupt a goroutine.
func TestSignals(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skip(err) // go test itself is taking a profile
	}
	defer pprof.StopCPUProfile()
	s, deep := stack(t), push(t, 1000)
	stop := make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range 300_000 {
		s.Call(deep, 0, 0)
	}
	close(stop)
	other.Wait()
}

// C may change every register that is not its to keep; Go counts on X15 being zero.
func TestRegisters(t *testing.T) {
	spoil := function(t,
		0x66, 0x45, 0x0f, 0x76, 0xff, // pcmpeqd xmm15, xmm15
		0x66, 0x0f, 0x76, 0xc0, // pcmpeqd xmm0, xmm0
		0x48, 0x31, 0xc9, 0x48, 0xf7, 0xd1, // rcx = -1
		0x48, 0x89, 0xca, 0x48, 0x89, 0xce, 0x48, 0x89, 0xcf, // rdx, rsi, rdi
		0x49, 0x89, 0xc8, 0x49, 0x89, 0xc9, 0x49, 0x89, 0xca, 0x49, 0x89, 0xcb, // r8 to r11
		0x31, 0xc0, 0xc3)
	s := stack(t)
	for i := range 100 {
		kept := i
		s.Call(spoil, 1, 2)
		if z := zeros(); z != [8]uint64{} || kept != i {
			t.Fatalf("%v, %d for %d", z, kept, i)
		}
	}
}

//go:noinline
func zeros() (z [8]uint64) { return }

func BenchmarkCall(b *testing.B) {
	page, err := unix.Mmap(-1, 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Munmap(page)
	page[0] = 0xc3 // ret
	if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		b.Fatal(err)
	}
	nothing := uintptr(unsafe.Pointer(unsafe.SliceData(page)))
	s := stack(b)
	for b.Loop() {
		s.Call(nothing, 0, 0)
	}
}
