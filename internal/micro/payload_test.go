package micro

import (
	"bytes"
	"slices"
	"testing"

	"gobench/bench"
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
