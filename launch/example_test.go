package launch_test

import (
	"context"
	"fmt"
	"log"

	"gobench/device"
	"gobench/launch"
)

func ExampleGoroutines() {
	err := launch.Goroutines(context.Background(), 3, func(ctx context.Context, job device.Job) error {
		blobs, err := job.Exchange(ctx, fmt.Appendf(nil, "rank %d", job.Rank()))
		if err == nil && job.Rank() == 0 {
			fmt.Printf("%s\n", blobs)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: [rank 0 rank 1 rank 2]
}
