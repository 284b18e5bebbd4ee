package hybrid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/devicetest"
	"gobench/internal/allocs"
)

// guests is a job whose ranks the test puts on hosts.
type guests struct {
	device.Job
	hosts []int
}

func (g guests) Hosts() []int { return g.hosts }

// openAll opens a device on each of the goroutines of a job.
func openAll(d device.Driver, set map[string]string, hosts ...int) ([]device.Device, []error) {
	all, errs := make([]device.Device, len(hosts)), make([]error, len(hosts))
	opts, err := device.ParseOptions(d.Options(), set)
	if err != nil {
		return nil, []error{err}
	}
	var open sync.WaitGroup
	for rank, job := range devicetest.Jobs(len(hosts)) {
		open.Go(func() { all[rank], errs[rank] = d.Open(context.Background(), guests{job, hosts}, opts) })
	}
	open.Wait()
	return all, errs
}

func closeDevices(all []device.Device) {
	var closing sync.WaitGroup
	for _, d := range all {
		closing.Go(func() { d.Close() })
	}
	closing.Wait()
}

// Messages by both wires of one device, from named ranks and from any source, allocate nothing.
func TestMixedMessagesAllocateNothing(t *testing.T) {
	all, errs := openAll(overTCP, map[string]string{"wait": "yield"}, 0, 0, 1)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	defer closeDevices(all)
	for _, size := range []int{8, 64 << 10, 300_000} {
		in, outs := make([]byte, size), [2][]byte{make([]byte, size), make([]byte, size)}
		for _, any := range []bool{false, true} {
			exchange := func() {
				var open [2]device.Request
				for peer := 1; peer <= 2; peer++ {
					open[peer-1], _ = all[peer].Isend(outs[peer-1], 0, 1, 1)
				}
				for peer := 1; peer <= 2; peer++ {
					from := peer
					if any {
						from = device.AnySource
					}
					q, _ := all[0].Irecv(in, from, 1, 1)
					for done := false; !done; {
						_, done, _ = all[0].Test(q)
						all[1].Iprobe(0, 9, 9)
						all[2].Iprobe(0, 9, 9)
					}
				}
				for i, q := range open {
					for done := false; !done; {
						_, done, _ = all[i+1].Test(q)
						all[0].Iprobe(1, 9, 9)
					}
				}
			}
			for range 50 {
				exchange()
			}
			if n := allocs.Count(100, exchange); n != 0 {
				t.Errorf("%d bytes, any source %v: %v allocations", size, any, n)
			}
		}
	}
}

// The record names the wires that were opened, and the limits of both. Messages are short only
// where all ranks share a host: otherwise as many are timed together as over the network alone.
func TestWiresInForce(t *testing.T) {
	for hosts, want := range map[string][3]string{
		"[0 0 1]": {"smem", "tcp", "65536+2097152"},
		"[0 0]":   {"smem", "none: all ranks are on one host", "65536"},
		"[0 1]":   {"none: each rank is alone on its host", "tcp", "2097152"},
	} {
		var list []int
		for _, word := range strings.Fields(strings.Trim(hosts, "[]")) {
			var host int
			fmt.Sscan(word, &host)
			list = append(list, host)
		}
		all, errs := openAll(overTCP, nil, list...)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		o := all[0].Info().Options
		if got := [3]string{o["inside"], o["between"], o["eager_limit"]}; got != want {
			t.Errorf("hosts %v: wires and limits are %q, want %q", hosts, got, want)
		}
		for rank, d := range all {
			if quick, want := d.Info().Quick, o["between"] != "tcp"; quick != want {
				t.Errorf("hosts %v, rank %d: messages to all peers are short: %v, want %v", hosts, rank, quick, want)
			}
		}
		closeDevices(all)
	}
}

// Where a wire cannot be opened, or the wires not used together, all ranks get an error that names
// the reason.
func TestWireThatIsMissing(t *testing.T) {
	if _, errs := openAll(driver{"smem", "absent"}, nil, 0, 0, 1); !strings.Contains(errors.Join(errs...).Error(), "no transport absent") {
		t.Errorf("a wire that does not exist: %v", errs)
	}
	for option, value := range map[string]string{"bind": "203.0.113.1", "wait": "block"} {
		_, errs := openAll(overTCP, map[string]string{option: value}, 0, 0, 1)
		for rank, err := range errs {
			if err == nil || !strings.Contains(err.Error(), value) {
				t.Errorf("rank %d, %s=%s: %v", rank, option, value, err)
			}
		}
	}
}

// The time of a wait counts for the host of the rank that is waited for.
func TestWaitsByHost(t *testing.T) {
	for _, wait := range []string{"yield", "spin"} {
		t.Run(wait, func(t *testing.T) { testWaitsByHost(t, wait) })
	}
}

func testWaitsByHost(t *testing.T, wait string) {
	all, errs := openAll(overTCP, map[string]string{"wait": wait}, 0, 0, 1)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	defer closeDevices(all)
	meter := all[0].(device.WaitMeter)
	for peer := 1; peer <= 2; peer++ {
		for _, from := range []int{peer, device.AnySource} {
			meter.MeterWaits(true)
			for rounds := 0; rounds < 10_000; rounds++ {
				if inside, between := meter.Waits(); inside+between > 0 {
					break
				}
				var answer sync.WaitGroup
				answer.Go(func() {
					all[peer].Recv(make([]byte, 1), 0, 1, 1)
					all[peer].Send(make([]byte, 1), 0, 1, 1)
				})
				all[0].Send(make([]byte, 1), peer, 1, 1)
				all[0].Recv(make([]byte, 1), from, 1, 1)
				answer.Wait()
			}
			meter.MeterWaits(false)
			if inside, between := meter.Waits(); inside > 0 != (peer == 1) || between > 0 != (peer == 2) {
				t.Errorf("waited for rank %d, source %d: inside %v, between %v", peer, from, inside, between)
			}
		}
	}
}
