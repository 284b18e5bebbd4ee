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

// A subject is a device of which two ranks have a ping-pong.
type subject struct {
	name  string
	d     device.Driver
	hosts []int
	ranks [2]int // that take part
}

// BenchmarkInside is the ping-pong of two ranks of one host, over smem alone and over smem+tcp
// beside a third rank on another host.
func BenchmarkInside(b *testing.B) {
	alternate(b, []subject{
		{"smem", lookup(b, "smem"), []int{0, 0}, [2]int{0, 1}},
		{"smem-of-3", lookup(b, "smem"), []int{0, 0, 0}, [2]int{0, 1}},
		{"smem+tcp", overTCP, []int{0, 0, 1}, [2]int{0, 1}},
	})
}

// BenchmarkBetween is the ping-pong of two ranks of different hosts, over tcp alone and over
// smem+tcp beside a third rank on the host of the first.
func BenchmarkBetween(b *testing.B) {
	alternate(b, []subject{
		{"tcp", lookup(b, "tcp"), []int{0, 1}, [2]int{0, 1}},
		{"tcp-of-3", lookup(b, "tcp"), []int{0, 0, 1}, [2]int{0, 2}},
		{"smem+tcp", overTCP, []int{0, 0, 1}, [2]int{0, 2}},
	})
}

// alternate times the ping-pongs in blocks that take turns. The median of the blocks counts.
func alternate(b *testing.B, subjects []subject) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, size := range []int{8, 1 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
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
			for side := range 2 {
				ranks.Go(func() {
					runtime.LockOSThread() // the thread ends with it, and so does its core
					pin(side)
					buf := make([]byte, size)
					for block := range blocks * len(all) {
						s := subjects[block%len(all)]
						d, peer := all[block%len(all)][s.ranks[side]], s.ranks[1-side]
						begin := time.Now()
						for range rounds {
							if side == 0 {
								d.Send(buf, peer, 1, 1)
							}
							d.Recv(buf, peer, 1, 1)
							if side == 1 {
								d.Send(buf, peer, 1, 1)
							}
						}
						if side == 0 && block >= len(all)*blocks/10 {
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
