package sockets

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/fuzzing"
)

// ends returns both ends of a Unix socket, which the caller closes: many inputs run within one
// test.
func ends(t *testing.T) (a, b *net.UnixConn) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list [2]*net.UnixConn
	for i, fd := range pair {
		f := os.NewFile(uintptr(fd), "pair")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		list[i] = c.(*net.UnixConn)
	}
	return list[0], list[1]
}

// FuzzHello sends the accepting side any hello, with any number of descriptors.
func FuzzHello(f *testing.F) {
	fz := fuzzing.New(f)
	good := hello{channel: overMemory, buffer: minBuffer, address: netip.MustParseAddr("127.0.0.1")}
	fz.Add(good.encode(), 2)
	fz.Add(good.encode()[:30], 0)
	fz.Add(hello{channel: overUnix, buffer: maxBuffer, address: netip.MustParseAddr("::1")}.encode(), 0)
	fz.Add([]byte("GET / HTTP/1.1\r\n\r\n"), 5)
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	defer l.Close()
	fz.Fuzz(func(t *testing.T, b []byte, files int) {
		if h, err := decodeHello(b); err == nil {
			if again, err := decodeHello(h.encode()); err != nil || again != h {
				t.Fatalf("%+v is read as %+v, %v", h, again, err)
			}
		}
		a, c := ends(t)
		defer a.Close()
		defer c.Close()
		fd, mem, err := createSegment(minBuffer)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		defer unix.Munmap(mem)
		var fds []int
		for i := range min(max(files, 0), 6) {
			fds = append(fds, []int{fd, 0}[i%2])
		}
		a.WriteMsgUnix(b, unix.UnixRights(fds...), nil)
		a.CloseWrite()
		if conn, err := l.(*Listener).welcome(c); err == nil {
			conn.Close()
		}
	})
}

func FuzzWelcome(f *testing.F) {
	fz := fuzzing.New(f)
	fz.Add(welcome{status: welcomeMemory, number: 7, markAddress: 9}.encode())
	fz.Add(welcome{status: refused}.encode())
	fz.Fuzz(func(t *testing.T, b []byte) {
		a, c := ends(t)
		defer a.Close()
		defer c.Close()
		a.Write(b)
		a.CloseWrite()
		conn, err := greet(c, Options{Buffer: minBuffer}.settings(), netip.MustParseAddrPort("127.0.0.1:1"), overMemory)
		if err == nil {
			conn.Close()
		}
	})
}

// FuzzState writes anything to the shared state of a connection while it is used: nothing crashes,
// and nothing waits beyond its deadline for long.
func FuzzState(f *testing.F) {
	fz := fuzzing.New(f)
	fz.Add(binary.LittleEndian.AppendUint64(nil, 1<<40), uint16(0))
	fz.Add(binary.LittleEndian.AppendUint64(nil, offerNext|offerMade), uint16(unsafe.Offsetof(flow{}.offer)))
	fz.Add(binary.LittleEndian.AppendUint64(nil, 1<<63), uint16(unsafe.Offsetof(flow{}.length)))
	fz.Add(binary.LittleEndian.AppendUint64(nil, ^uint64(0)), uint16(unsafe.Offsetof(flow{}.head)+flowStride))
	fz.Add(binary.LittleEndian.AppendUint64(nil, ^uint64(0)), uint16(unsafe.Offsetof(flow{}.took)+flowStride))
	fz.Add(make([]byte, 2*flowStride), uint16(0))
	o := Options{Buffer: minBuffer, Direct: 1 << 10, Poll: -1}
	fz.Fuzz(func(t *testing.T, b []byte, at uint16) {
		fd, mem, err := createSegment(minBuffer)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		near, far := ends(t)
		nearRoom, farRoom := ends(t)
		defer far.Close()
		defer farRoom.Close()
		data, err := newBell(near)
		if err != nil {
			t.Fatal(err)
		}
		room, err := newBell(nearRoom)
		if err != nil {
			t.Fatal(err)
		}
		c := newConn(1, mem, data, room, o.settings(), os.Getpid(), new(net.TCPAddr), new(net.TCPAddr))
		defer c.Close()
		c.Write(make([]byte, 100))
		copy(mem[int(at)%sharedPage:sharedPage], b)
		c.SetDeadline(time.Now().Add(time.Millisecond))
		buf := make([]byte, 3000)
		for range 3 {
			c.Read(buf)
			c.Write(buf)
			c.TryWrite(buf)
			copy(mem[int(at)%sharedPage:sharedPage], b)
		}
	})
}

// sharedPage is the size of the part of a segment that has a meaning.
const sharedPage = ringStart
