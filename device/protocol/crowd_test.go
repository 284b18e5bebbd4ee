package protocol

import (
	"bytes"
	"testing"

	"gobench/device"
)

// A long message goes as it does in a crowd while one of another peer is awaited, and
// as usual when all that is awaited comes from its own sender.
func TestCrowdsHaveTheirMethod(t *testing.T) {
	for _, c := range []struct {
		name    string
		others  []int // sources of what else is awaited
		crowded bool
	}{{"alone", nil, false}, {"the same peer", []int{0, 0}, false}, {"another peer", []int{2}, true}, {"any", []int{device.AnySource}, false}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBoard(3, 4, Pipeline, Get, Put, Split)
			b.crowd = func(int) Method { return Put }
			all := b.devices(t, nil)
			in, out := make([]byte, 5000), fill(make([]byte, 5000), 1)
			recv, err := all[1].Irecv(in, 0, 5, 9)
			if err != nil {
				t.Fatal(err)
			}
			for _, source := range c.others {
				if _, err := all[1].Irecv(make([]byte, 10), source, 6, 9); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := all[0].Isend(out, 1, 5, 9); err != nil {
				t.Fatal(err)
			}
			settleAll(all)
			if _, done, err := all[1].Test(recv); !done || err != nil || !bytes.Equal(in, out) {
				t.Fatalf("done %v, %v, right data %v", done, err, bytes.Equal(in, out))
			}
			if packets := b.pushed[kindData]; (packets == 0) != c.crowded {
				t.Errorf("%d packets of data, want none in a crowd alone", packets)
			}
		})
	}
}
