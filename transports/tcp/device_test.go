package tcp

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"gobench/device"
)

func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed)
	}
	return b
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
			const size = 64 << 20
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
