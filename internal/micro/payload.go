package micro

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"unsafe"

	"gobench/bench"
	"gobench/device"
)

// The benchmarks of payloads are ping-pongs whose data is not one contiguous array of bytes: both
// ranks convert it to a message before each send, and back after each receive. What they take
// longer than pingpong is the cost of the conversion, twice in half a round trip.

// payloads returns the benchmarks. Numbers are written in network order, and the fields of a struct
// one by one.
func payloads() []bench.Benchmark {
	regular, irregular := layout{[]int{0}, 2}, layout{[]int{0, 1, 3, 6}, 8}
	list := []bench.Benchmark{
		regular.benchmark("strided", "every second element of 8 bytes, copied to the message and back: what packing costs, against pingpong"),
		irregular.benchmark("indexed", "elements 0, 1, 3 and 6 of each eight of 8 bytes, copied to the message and back: what an indexed type costs, against pingpong"),
		converted("ints", "32-bit integers written in network order and read back, as a portable stream has them", 1, swap4, swap4),
		converted("doubles", "float64 numbers written in network order and read back, as a portable stream has them", 1, swap8, swap8),
		converted("structs", "structs of a byte, a float64 and an int32, written field by field in 13 bytes", 2, writeFields, readFields),
		vector(),
	}
	for _, c := range codecs {
		list = append(list, encoded(c))
	}
	return list
}

// word is the size of an element of a layout, in bytes.
const word = 8

// A layout selects the elements at some positions of each span elements.
type layout struct {
	positions []int
	span      int
}

// benchmark returns the ping-pong of the selected elements.
func (l layout) benchmark(name, about string) bench.Benchmark {
	message := layout{make([]int, len(l.positions)), len(l.positions)} // without gaps
	for k := range message.positions {
		message.positions[k] = k
	}
	return converted(name, about, 2,
		func(wire, user []byte) { move(wire, user, message, l, len(wire)) },
		func(user, wire []byte) { move(user, wire, l, message, len(wire)) })
}

// move copies bytes from the elements that from selects in src to those that to selects in dst. The
// layouts have equally many positions.
func move(dst, src []byte, to, from layout, bytes int) {
	whole, each := bytes/word, len(to.positions)
	for k, position := range to.positions {
		d, s := word*position, word*from.positions[k]
		for i := k; i < whole; i += each {
			binary.NativeEndian.PutUint64(dst[d:], binary.NativeEndian.Uint64(src[s:]))
			d, s = d+word*to.span, s+word*from.span
		}
	}
	copy(dst[to.offset(whole):][:bytes%word], src[from.offset(whole):])
}

// offset returns the offset of an element, in bytes.
func (l layout) offset(i int) int {
	return word * (i/len(l.positions)*l.span + l.positions[i%len(l.positions)])
}

// swap4 and swap8 convert between the order of this machine and that of the network. One
// generic loop took twice as long for 8 bytes.
func swap4(dst, src []byte) {
	n := min(len(dst), len(src)) &^ 3
	for i := 0; i < n; i += 4 {
		binary.BigEndian.PutUint32(dst[i:], binary.NativeEndian.Uint32(src[i:]))
	}
	copy(dst[n:], src[n:])
}

func swap8(dst, src []byte) {
	n := min(len(dst), len(src)) &^ 7
	for i := 0; i < n; i += 8 {
		binary.BigEndian.PutUint64(dst[i:], binary.NativeEndian.Uint64(src[i:]))
	}
	copy(dst[n:], src[n:])
}

// Bytes of struct{byte; float64; int32}, in a message and in memory.
const written, held = 13, 24

func writeFields(wire, user []byte) {
	for ; len(wire) >= written; wire, user = wire[written:], user[held:] {
		wire[0] = user[0]
		binary.BigEndian.PutUint64(wire[1:], binary.NativeEndian.Uint64(user[8:]))
		binary.BigEndian.PutUint32(wire[9:], binary.NativeEndian.Uint32(user[16:]))
	}
	copy(wire, user)
}

func readFields(user, wire []byte) {
	for ; len(wire) >= written; wire, user = wire[written:], user[held:] {
		user[0] = wire[0]
		binary.NativeEndian.PutUint64(user[8:], binary.BigEndian.Uint64(wire[1:]))
		binary.NativeEndian.PutUint32(user[16:], binary.BigEndian.Uint32(wire[9:]))
	}
	copy(user, wire)
}

// converted returns the ping-pong of data that takes at most spread times the room of its message.
func converted(name, about string, spread int, encode, decode func(dst, src []byte)) bench.Benchmark {
	return payload(name, about, 2+2*spread, func(env *bench.Env) bench.Op {
		c := &converter{Channel: env.Channel, encode: encode, decode: decode}
		room := spread * (env.Bytes + 4*word) // also for part of a span
		c.values, c.received = env.Alloc(room), env.Alloc(room)
		c.half = pingpong{c, partner(env.Rank(), env.Size()), env.Send(0), nil}
		c.half.in = env.Recv(c.half.peer, 0)
		c.Op = c.half.side(env)
		return c
	})
}

// payload completes a ping-pong with other data.
func payload(name, about string, buffers int, make func(*bench.Env) bench.Op) bench.Benchmark {
	b := PingPong()
	b.Threads = false // a Checker is for one thread
	b.Name, b.Aliases, b.About, b.New = name, nil, about+": half the round trip", make
	b.Formula = "half_rtt = t / 2 with both conversions, bandwidth = pairs x size / half_rtt, size = bytes of the message"
	b.Buffers = bench.Fixed(buffers)
	return b
}

// A converter is the ping-pong of a rank over a channel that converts values to each message and
// each message to values.
type converter struct {
	bench.Op
	device.Channel
	encode, decode   func(dst, src []byte)
	values, received []byte
	half             pingpong
}

func (c *converter) Send(buf []byte, dst int, tag, context int32) error {
	c.encode(buf, c.values)
	return c.Channel.Send(buf, dst, tag, context)
}

func (c *converter) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	s, err := c.Channel.Recv(buf, src, tag, context)
	if err == nil {
		c.decode(c.received, buf)
	}
	return s, err
}

// Prepare makes the values of the message that the runner expects, and clears the message.
func (c *converter) Prepare(uint64, bool) {
	c.decode(c.values, c.half.out)
	clear(c.half.out)
	clear(c.received)
}

// Check converts the received values back and compares them with the message, which the runner
// checks.
func (c *converter) Check(uint64) *bench.DataError {
	again := make([]byte, len(c.half.in))
	c.encode(again, c.received)
	for i, want := range c.half.in {
		if again[i] != want {
			return &bench.DataError{Size: len(again), Source: c.half.peer, Offset: i, Want: want, Got: again[i]}
		}
	}
	return nil
}

var codecs = []bench.Codec{{
	Name: "gob", About: "a slice of structs of an int64 and a float64 in encoding/gob, of which size counts 16 bytes each",
	Encode: encodeGob, Decode: decodeGob,
}}

// Register adds a benchmark, the ping-pong of values in a codec. It is for init functions, and
// panics if the name is taken.
func Register(c bench.Codec) {
	if _, err := Lookup(c.Name); err == nil {
		panic("benchmark " + c.Name + " exists")
	}
	codecs = append(codecs, c)
}

// encoded returns the ping-pong of a codec.
func encoded(c bench.Codec) bench.Benchmark {
	b := payload(c.Name, c.About, 6, func(env *bench.Env) bench.Op {
		half := pingpong{nil, partner(env.Rank(), env.Size()), env.Send(0), nil}
		half.in = env.Recv(half.peer, 0)
		_, matches := env.Channel.(bench.Matcher)
		o := &objectChannel{Channel: env.Channel, size: env.Bytes, peer: half.peer, codec: c, stream: !matches, out: make([]byte, lengthBytes), in: make([]byte, longest*env.Bytes+1024)}
		half.ch = o
		o.Op = half.side(env)
		return o
	})
	b.Formula += " in memory"
	b.Lengths = true
	return b
}

const (
	longest     = 4 // bound of the length of a message, in lengths of the values; and 1 KiB
	lengthBytes = 8 // of the length before a message in a stream
)

// objectChannel is the ping-pong of a rank over a channel that sends buffers as objects.
type objectChannel struct {
	bench.Op
	device.Channel
	size, peer int
	codec      bench.Codec
	stream     bool // lengths precede the messages
	out, in    []byte

	undecoded error // since Prepare
}

func (o *objectChannel) Send(buf []byte, dst int, tag, context int32) (err error) {
	begin := 0
	if o.stream {
		begin = lengthBytes
	}
	if o.out, err = o.codec.Encode(o.out[:begin], buf); err != nil {
		return err
	}
	if n := len(o.out) - begin; n > len(o.in) {
		return fmt.Errorf("a message of %s has %d bytes, at most %d are allowed", o.codec.Name, n, len(o.in))
	}
	if o.stream {
		binary.NativeEndian.PutUint64(o.out, uint64(len(o.out)-begin))
	}
	return o.Channel.Send(o.out, dst, tag, context)
}

// Recv leaves buf zero if the message cannot be decoded, and keeps the first reason for Check.
func (o *objectChannel) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	in := o.in
	if o.stream {
		if _, err := o.Channel.Recv(in[:lengthBytes], src, tag, context); err != nil {
			return device.Status{}, err
		}
		n := binary.NativeEndian.Uint64(in)
		if n > uint64(len(in)) {
			return device.Status{}, fmt.Errorf("a message of %s has %d bytes, at most %d are expected", o.codec.Name, n, len(in))
		}
		in = in[:n]
	}
	s, err := o.Channel.Recv(in, src, tag, context)
	if err != nil {
		return s, err
	}
	clear(buf)
	if err := o.codec.Decode(buf, in[:s.Size]); err != nil {
		clear(buf)
		o.undecoded = cmp.Or(o.undecoded, err)
	}
	return s, nil
}

// Prepare implements bench.Checker; the runner fills the buffers.
func (o *objectChannel) Prepare(uint64, bool) { o.undecoded = nil }

// Check reports a message that could not be decoded. The runner checks the data of others.
func (o *objectChannel) Check(uint64) *bench.DataError {
	if o.undecoded == nil {
		return nil
	}
	return &bench.DataError{Size: o.size, Source: o.peer, Undecoded: o.undecoded.Error()}
}

type objects struct {
	Pairs []pair
	Rest  []byte
}

type pair struct {
	Number int64
	Value  float64
}

// objectsIn returns the objects that a buffer holds.
func objectsIn(buf []byte) *objects {
	n := len(buf) / int(unsafe.Sizeof(pair{}))
	return &objects{unsafe.Slice((*pair)(unsafe.Pointer(unsafe.SliceData(buf))), n), buf[n*int(unsafe.Sizeof(pair{})):]}
}

// encodeGob appends a message that is complete by itself: it has the description of the type.
func encodeGob(message, values []byte) ([]byte, error) {
	b := bytes.NewBuffer(message)
	err := gob.NewEncoder(b).Encode(objectsIn(values))
	return b.Bytes(), err
}

func decodeGob(values, message []byte) error {
	o, into := objectsIn(values), objectsIn(values)
	if err := gob.NewDecoder(bytes.NewReader(message)).Decode(o); err != nil {
		return err
	}
	if len(o.Pairs) == len(into.Pairs) && len(o.Rest) == len(into.Rest) {
		copy(into.Pairs, o.Pairs)
		copy(into.Rest, o.Rest)
	}
	return nil
}
