package smem

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gobench/device"
)

// BenchmarkDevice is the ping-pong through the whole device between two
// processes pinned to GOBENCH_CORES. ns-half is half a round trip. Options come
// from GOBENCH_OPTIONS ("rndv=get,ring_bytes=128KiB").
func BenchmarkDevice(b *testing.B) {
	for _, level := range []string{"raw", "device"} {
		for _, size := range []int{0, 8, 64, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20} {
			b.Run(fmt.Sprintf("%s/%d", level, size), func(b *testing.B) { benchChannel(b, level, size) })
		}
	}
}

func benchOptions(t string) (device.Options, error) {
	set := map[string]string{}
	for pair := range strings.SplitSeq(t, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			set[name] = value
		}
	}
	return device.ParseOptions(driver{}.Options(), set)
}

func openLevel(job device.Job, level, options string) (device.Channel, error) {
	opts, err := benchOptions(options)
	if err != nil {
		return nil, err
	}
	if level == "raw" {
		return driver{}.OpenRaw(context.Background(), job, opts)
	}
	return driver{}.Open(context.Background(), job, opts)
}

func benchChannel(b *testing.B, level string, size int) {
	core, other := benchCores()
	options := os.Getenv("GOBENCH_OPTIONS")
	job := processJob(b, 2, "channel", map[string]string{
		"core": other, "level": level, "size": strconv.Itoa(size), "options": options})
	runtime.LockOSThread()
	if err := pin(core); err != nil {
		b.Fatal(err)
	}
	c, err := openLevel(job, level, options)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	d := c.(device.CoreLatencyMeter)
	buf := make([]byte, size)
	for i := range buf {
		buf[i] = byte(i)
	}
	count := make([]byte, 8)
	rounds := func(n int) time.Duration {
		copy(count, strconv.Itoa(n)+"       ")
		c.Send(count, 1, 0, 0)
		start := time.Now()
		for range n {
			if err := c.Send(buf, 1, 1, 0); err != nil {
				b.Fatal(err)
			}
			if _, err := c.Recv(buf, 1, 1, 0); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	line := func() float64 {
		c.Send([]byte("-1      "), 1, 0, 0)
		t, err := d.CoreLatency(1, 0, 500)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	measure(b, line, size, rounds)
	rounds(0)
}

// measure repeats short blocks of round trips, calibrates the core latency of the
// two cores before and after each, and reports the median of the blocks for
// each state of the pair that occurred, in ns for half a round trip.
func measure(b *testing.B, line func() float64, size int, rounds func(n int) time.Duration) {
	rounds(20)
	n := max(2, int(2*time.Millisecond/(rounds(10)/10+1)))
	n = min(n, 5000)
	bounds := []struct {
		name   string
		lo, hi float64
	}{{"near", 0, 45}, {"mid", 55, 120}, {"far", 180, 400}}
	var found [3][]float64
	var lines [3][]float64
	for start := time.Now(); time.Since(start) < 400*time.Millisecond; {
		before := line() * 1e9
		t := rounds(n)
		after := line() * 1e9
		for i, s := range bounds {
			if before > s.lo && before < s.hi && after > s.lo && after < s.hi {
				found[i] = append(found[i], float64(t.Nanoseconds())/float64(2*n))
				lines[i] = append(lines[i], (before+after)/2)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, s := range bounds {
		if len(found[i]) < 3 {
			continue
		}
		slices.Sort(found[i])
		slices.Sort(lines[i])
		half := found[i][len(found[i])/2]
		b.ReportMetric(half, s.name+"-ns")
		b.ReportMetric(found[i][0], s.name+"-min")
		b.ReportMetric(float64(len(found[i])), s.name+"-n")
		b.ReportMetric(lines[i][len(lines[i])/2], s.name+"-line")
		if size >= 4096 {
			b.ReportMetric(float64(size)/half, s.name+"-GB/s")
		}
	}
}

func init() {
	roles["channel"] = func(job device.Job, args map[string]string) error {
		if err := pin(args["core"]); err != nil {
			return err
		}
		size, _ := strconv.Atoi(args["size"])
		c, err := openLevel(job, args["level"], args["options"])
		if err != nil {
			return err
		}
		debug.SetGCPercent(-1)
		d := c.(device.CoreLatencyMeter)
		count, buf := make([]byte, 8), make([]byte, size)
		for {
			if _, err := c.Recv(count, 0, 0, 0); err != nil {
				return err
			}
			n, err := strconv.Atoi(strings.TrimSpace(string(count)))
			if err != nil || n == 0 {
				break
			}
			if n < 0 {
				if _, err := d.CoreLatency(0, 0, 1); err != nil {
					return err
				}
			}
			for range max(n, 0) {
				if _, err := c.Recv(buf, 0, 1, 0); err != nil {
					return err
				}
				if err := c.Send(buf, 0, 1, 0); err != nil {
					return err
				}
			}
		}
		return c.Close()
	}
}
