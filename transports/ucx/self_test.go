//go:build ucx && cgo

package ucx

import (
	"context"
	"testing"

	"gobench/device"
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

// BenchmarkSelf sends 8 bytes to the rank itself and receives them: what the calls cost, without a peer.
func BenchmarkSelf(b *testing.B) {
	options, err := device.ParseOptions(driver{}.Options(), map[string]string{"tls": "posix,self", "wait": "spin"})
	if err != nil {
		b.Fatal(err)
	}
	d, err := driver{}.Open(context.Background(), alone{}, options)
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
