package protocol_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"

	"gobench/device"
	"gobench/device/protocol"
)

// A packet is what a line carries.
type packet struct {
	header protocol.Header
	data   []byte
}

// line is a protocol.Wire of two goroutines over Go channels.
type line struct {
	peer int
	out  chan<- packet
	in   <-chan packet
}

func (l *line) Limits() protocol.Limits {
	return protocol.Limits{Packet: 4 << 10, Fragment: 4 << 10, EagerLimit: 16 << 10, Goroutines: true}
}

// Push copies the data, which are the caller's again when it returns.
func (l *line) Push(_ int, h protocol.Header, data []byte) bool {
	select {
	case l.out <- packet{h, slices.Clone(data)}:
		return true
	default:
		return false
	}
}

func (l *line) Poll(_ int, sink protocol.Sink) bool {
	select {
	case p := <-l.in:
		sink.Packet(l.peer, p.header, p.data)
		return true
	default:
		return false
	}
}

func (l *line) Idle(protocol.Sink) {}
func (l *line) Close() error       { return nil }

// A wire of five methods becomes a device: package protocol matches tags, cuts long messages into
// packets, and controls their flow.
func Example() {
	there, back := make(chan packet, 8), make(chan packet, 8)
	wires := [2]protocol.Wire{&line{1, there, back}, &line{0, back, there}}
	options, err := device.ParseOptions(protocol.Options(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	var ranks sync.WaitGroup
	for rank, w := range wires {
		ranks.Go(func() {
			d, err := protocol.New(w, protocol.Config{Transport: "line", Rank: rank, Size: 2, LocalSize: 2, Options: options})
			if err == nil {
				defer d.Close()
				err = exchange(d)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	ranks.Wait()
	// Output:
	// short, tag 2
	// long: 100000 bytes, as they were sent: true
}

// exchange sends two messages from rank 0 to rank 1, which receives the second one first.
func exchange(d device.Channel) error {
	const context = 0
	long := bytes.Repeat([]byte("0123456789"), 10_000)
	if d.Rank() == 0 {
		if err := d.Send(long[:5], 1, 1, context); err != nil {
			return err
		}
		if err := d.Send([]byte("short"), 1, 2, context); err != nil {
			return err
		}
		return d.Send(long, 1, 3, context)
	}
	buf := make([]byte, len(long))
	status, err := d.Recv(buf, 0, 2, context)
	if err != nil {
		return err
	}
	fmt.Printf("%s, tag %d\n", buf[:status.Size], status.Tag)
	if _, err := d.Recv(buf, 0, 1, context); err != nil {
		return err
	}
	status, err = d.Recv(buf, 0, 3, context)
	if err != nil {
		return err
	}
	fmt.Printf("long: %d bytes, as they were sent: %v\n", status.Size, bytes.Equal(buf[:status.Size], long))
	return nil
}
