package tcp

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"gobench/device"
)

// pattern returns n bytes that differ with the seed and with the place.
func pattern(n, seed int) []byte {
	block := make([]byte, min(n, 4099))
	for i := range block {
		block[i] = byte(i*7 + i>>8 + seed)
	}
	b := make([]byte, 0, n+len(block))
	for len(b) < n {
		b = append(b, block...)
	}
	return b[:n]
}

// TestPingPong sends sizes on both sides of every threshold there and back.
func TestPingPong(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		must(t, 2, func(ctx context.Context, job device.Job) error {
			d, err := driver{}.Open(ctx, job, options(t, set...))
			if err != nil {
				return err
			}
			defer d.Close()
			for _, size := range []int{0, 1, 8, 4095, 4096, 4097, 65535, 65536, 65537, 300_000, 5 << 20} {
				out, in := pattern(size, job.Rank()), make([]byte, size)
				for range 3 {
					if job.Rank() == 0 {
						if err := d.Send(out, 1, 5, 0); err != nil {
							return err
						}
					}
					if _, err := d.Recv(in, 1-job.Rank(), 5, 0); err != nil {
						return err
					}
					if !bytes.Equal(in, pattern(size, 1-job.Rank())) {
						return fmt.Errorf("size %d: data differ", size)
					}
					if job.Rank() == 1 {
						if err := d.Send(out, 0, 5, 0); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
	})
}

// TestManyRanks has more peers than are read one after another: every rank
// sends to every other, which receives from whoever comes first.
func TestManyRanks(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		const n = fewPeers + 3
		must(t, n, func(ctx context.Context, job device.Job) error {
			d, err := driver{}.Open(ctx, job, options(t, set...))
			if err != nil {
				return err
			}
			defer d.Close()
			for _, size := range []int{10, 100_000} {
				out := pattern(size, job.Rank())
				for i := 1; i < n; i++ {
					if _, err := d.Isend(out, (job.Rank()+i)%n, int32(size), 0); err != nil {
						return err
					}
				}
				in := make([]byte, size)
				for range n - 1 {
					s, err := d.Recv(in, device.AnySource, int32(size), 0)
					if err != nil {
						return err
					}
					if !bytes.Equal(in, pattern(size, s.Source)) {
						return fmt.Errorf("data of rank %d differ", s.Source)
					}
				}
				for range n - 1 {
					r, err := d.Peek()
					if err != nil {
						return err
					}
					if _, err := d.Wait(r); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// TestBothSendLarge has both ranks send far more than the sockets hold before
// either receives.
func TestBothSendLarge(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		must(t, 2, func(ctx context.Context, job device.Job) error {
			d, err := driver{}.Open(ctx, job, options(t, set...))
			if err != nil {
				return err
			}
			defer d.Close()
			const size = 16 << 20
			out, in := pattern(size, job.Rank()), make([]byte, size)
			r, err := d.Irecv(in, 1-job.Rank(), 0, 0)
			if err != nil {
				return err
			}
			if err := d.Send(out, 1-job.Rank(), 0, 0); err != nil {
				return err
			}
			if _, err := d.Wait(r); err != nil {
				return err
			}
			if !bytes.Equal(in, pattern(size, 1-job.Rank())) {
				return fmt.Errorf("data differ")
			}
			return nil
		})
	})
}
