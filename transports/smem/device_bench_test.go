package smem

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

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
	d := c.(device.Distancer)
	before, err := d.Distance(1, 20000)
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, size)
	for i := range buf {
		buf[i] = byte(i)
	}
	count := make([]byte, 8)
	rounds := func(n int) {
		copy(count, strconv.Itoa(n)+"       ")
		c.Send(count, 1, 0, 0)
		for range n {
			if c.Send(buf, 1, 1, 0) != nil {
				b.Fatal("send failed")
			}
			if _, err := c.Recv(buf, 1, 1, 0); err != nil {
				b.Fatal(err)
			}
		}
	}
	rounds(200)
	b.ResetTimer()
	rounds(b.N)
	b.StopTimer()
	rounds(0)
	after, err := d.Distance(1, 20000)
	if err != nil {
		b.Fatal(err)
	}
	half := float64(b.Elapsed().Nanoseconds()) / float64(2*b.N)
	b.ReportMetric(half, "ns-half")
	if size >= 4096 {
		b.ReportMetric(float64(size)/half, "GB/s")
	}
	b.ReportMetric(before*1e9, "line-before")
	b.ReportMetric(after*1e9, "line-after")
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
		d := c.(device.Distancer)
		if _, err := d.Distance(0, 1); err != nil {
			return err
		}
		count, buf := make([]byte, 8), make([]byte, size)
		for {
			if _, err := c.Recv(count, 0, 0, 0); err != nil {
				return err
			}
			n, err := strconv.Atoi(strings.TrimSpace(string(count)))
			if err != nil || n == 0 {
				break
			}
			for range n {
				if _, err := c.Recv(buf, 0, 1, 0); err != nil {
					return err
				}
				if err := c.Send(buf, 0, 1, 0); err != nil {
					return err
				}
			}
		}
		if _, err := d.Distance(0, 1); err != nil {
			return err
		}
		return c.Close()
	}
}
