package hybrid

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"golang.org/x/sys/unix"
)

// BenchmarkInside is the ping-pong of two ranks of one host, over smem alone and over smem+tcp beside a
// third rank on another host. Blocks of both take turns, and the median of the blocks counts.
func BenchmarkInside(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, size := range []int{8, 1 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			subjects := []struct {
				name  string
				d     device.Driver
				hosts []int
			}{
				{"smem", lookup(b, "smem"), []int{0, 0}},
				{"smem-of-3", lookup(b, "smem"), []int{0, 0, 0}},
				{"smem+tcp", overTCP, []int{0, 0, 1}},
			}
			var all [][]device.Device
			for _, s := range subjects {
				list, errs := openAll(s.d, map[string]string{"wait": "spin"}, s.hosts...)
				if err := errors.Join(errs...); err != nil {
					b.Fatal(err)
				}
				defer closeDevices(list)
				all = append(all, list)
			}
			const blocks = 200
			rounds := max(20, 200_000/(size+200))
			times := make([][]float64, len(all))
			var ranks sync.WaitGroup
			for rank := range 2 {
				ranks.Go(func() {
					runtime.LockOSThread() // the thread ends with it, and so does its core
					pin(rank)
					buf := make([]byte, size)
					for block := range blocks * len(all) {
						d := all[block%len(all)][rank]
						begin := time.Now()
						for range rounds {
							if rank == 0 {
								d.Send(buf, 1, 1, 1)
							}
							d.Recv(buf, 1-rank, 1, 1)
							if rank == 1 {
								d.Send(buf, 0, 1, 1)
							}
						}
						if rank == 0 && block >= len(all)*blocks/10 {
							times[block%len(all)] = append(times[block%len(all)], float64(time.Since(begin).Nanoseconds())/float64(2*rounds))
						}
					}
				})
			}
			ranks.Wait()
			b.ReportMetric(0, "ns/op")
			for i, s := range subjects {
				slices.Sort(times[i])
				b.ReportMetric(times[i][len(times[i])/2], s.name+"-ns")
				b.ReportMetric(times[i][len(times[i])/10], s.name+"-ns10%")
			}
		})
	}
}

func lookup(b *testing.B, name string) device.Driver {
	d, err := device.Lookup(name)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// pin binds the thread to a core.
func pin(core int) {
	var set unix.CPUSet
	set.Set(core)
	unix.SchedSetaffinity(0, &set)
}
