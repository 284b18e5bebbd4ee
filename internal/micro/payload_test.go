package micro

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

// A message of each payload is what its values are by hand.
func TestMessagesOfPayloads(t *testing.T) {
	user := make([]byte, 64)
	for i := range user {
		user[i] = byte(i)
	}
	for _, c := range []struct {
		name string
		wire []byte
	}{
		{"strided", []byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 32, 33}},
		{"indexed", slices.Concat(user[:16], user[24:32], user[48:52])},
		{"ints", []byte{3, 2, 1, 0, 7, 6, 5, 4, 8}},
		{"doubles", []byte{7, 6, 5, 4, 3, 2, 1, 0, 8, 9}},
		{"structs", []byte{0, 15, 14, 13, 12, 11, 10, 9, 8, 19, 18, 17, 16, 24, 25}},
	} {
		b, err := Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		net := &benchtest.Net{Ranks: 2}
		x := b.New(bench.NewEnv(net.Devices()[0], len(c.wire), 1)).(*converter)
		wire, again, back := make([]byte, len(c.wire)), make([]byte, len(c.wire)), make([]byte, len(user))
		x.encode(wire, user)
		x.decode(back, wire)
		x.encode(again, back)
		if !bytes.Equal(wire, c.wire) || !bytes.Equal(again, wire) {
			t.Errorf("%s: %v and %v, want %v", c.name, wire, again, c.wire)
		}
	}
}

// queue is a channel that receives what it has sent.
type queue struct {
	device.Channel
	bytes.Buffer
}

func (q *queue) Send(buf []byte, _ int, _, _ int32) error {
	_, err := q.Write(buf)
	return err
}

func (q *queue) Recv(buf []byte, _ int, _, _ int32) (device.Status, error) {
	n, err := q.Read(buf)
	return device.Status{Size: n}, err
}

// The functions of a codec make its messages, which follow their lengths in a stream. What cannot
// be decoded is zero, which a check of the data finds.
func TestMessagesOfACodec(t *testing.T) {
	c := bench.Codec{
		Name: "halves", About: "every second byte",
		Encode: func(message, values []byte) ([]byte, error) { return append(message, values[:len(values)/2]...), nil },
		Decode: func(values, message []byte) error {
			copy(values, message)
			if len(message) != len(values)/2 {
				return errors.New("another length")
			}
			return nil
		},
	}
	before := codecs
	defer func() { codecs = before }()
	Register(c)
	if b, err := Lookup("halves"); err != nil || b.CheckLevel("raw") == nil || b.CheckLevel("socket") != nil {
		t.Fatal(b, err)
	}
	for _, stream := range []bool{false, true} {
		q := &queue{}
		o := &objectChannel{Channel: q, codec: c, stream: stream, out: make([]byte, lengthBytes), in: make([]byte, 64)}
		for range 2 {
			o.Send([]byte("abcd"), 0, 0, 0)
		}
		want := "abab"
		if stream {
			want = "\x02\x00\x00\x00\x00\x00\x00\x00ab"
			want += want
		}
		if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && q.String() != want {
			t.Errorf("stream %v: %q, want %q", stream, q.String(), want)
		}
		got := []byte("    ")
		q.Truncate(len(want) / 2)
		if o.Recv(got, 0, 0, 0); string(got) != "ab\x00\x00" {
			t.Errorf("stream %v: received %q", stream, got)
		}
	}
	q := &queue{}
	o := &objectChannel{Channel: q, codec: c, in: make([]byte, 64)}
	q.WriteString("abc")
	got := []byte("    ")
	if o.Recv(got, 0, 0, 0); string(got) != "\x00\x00\x00\x00" {
		t.Errorf("received %q from a wrong message", got)
	}
	if d := o.Check(0); d == nil || !strings.Contains(d.Error(), "another length") {
		t.Errorf("the defect does not say why: %v", d)
	}
	if o.Prepare(1, true); o.Check(1) != nil {
		t.Error("the reason stays for the next messages")
	}
	long := "a message of halves has 65 bytes, at most 64 are allowed"
	if err := o.Send(make([]byte, 130), 0, 0, 0); err == nil || err.Error() != long || q.Len() > 0 {
		t.Errorf("%v with %d bytes sent, want %s", err, q.Len(), long)
	}
	q.Write(binary.NativeEndian.AppendUint64(nil, 65))
	o.stream = true
	if _, err := o.Recv(make([]byte, 4), 0, 0, 0); err == nil {
		t.Error("a message longer than the room for it is received")
	}
}
