package device_test

import (
	"context"
	"fmt"
	"os"

	"gobench/device"
	"gobench/launch"
	_ "gobench/transports/smem" // registers its driver
)

// Two ranks, goroutines of this process, pass a message there and back over shared memory.
func Example() {
	driver, err := device.Lookup("smem")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	options, err := device.ParseOptions(driver.Options(), map[string]string{"eager_limit": "4K"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	err = launch.Goroutines(context.Background(), 2, func(ctx context.Context, job device.Job) error {
		d, err := driver.Open(ctx, job, options)
		if err != nil {
			return err
		}
		defer d.Close()
		return pingPong(d)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// rank 1 received "ping" from rank 0, tag 7
	// rank 0 received "pong": 4 bytes
}

// pingPong sends a message from rank 0 to rank 1 and its answer back.
func pingPong(d device.Channel) error {
	const tag, context = 7, 0 // messages of different contexts never match
	buf := make([]byte, 64)   // a message may be shorter than the buffer it is received in
	if d.Rank() == 0 {
		if err := d.Send([]byte("ping"), 1, tag, context); err != nil {
			return err
		}
		status, err := d.Recv(buf, 1, tag, context)
		if err != nil {
			return err
		}
		fmt.Printf("rank 0 received %q: %d bytes\n", buf[:status.Size], status.Size)
		return nil
	}
	status, err := d.Recv(buf, device.AnySource, device.AnyTag, context)
	if err != nil {
		return err
	}
	fmt.Printf("rank 1 received %q from rank %d, tag %d\n", buf[:status.Size], status.Source, status.Tag)
	return d.Send([]byte("pong"), status.Source, tag, context)
}
