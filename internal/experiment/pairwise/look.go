package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"gobench/internal/launch/host"
	"gobench/internal/netif"
	"gobench/internal/report/normal"
	"gobench/pairs"
	"gobench/record"
	"gobench/stats"
)

// noiseTime is the time for which the noise of a core is watched: that of a quota of Linux.
const noiseTime = 100 * time.Millisecond

// lookAround collects what this host shows by itself.
func lookAround(ctx context.Context, o lookOrder) *look {
	l := &look{Number: o.Number, Facts: host.Collect(), Version: host.Version()}
	if o.Memory {
		l.Copy, _ = host.CopySpeed()
		before, noise := host.Throttled(), host.Noise(noiseTime)
		l.Noise, l.Held = &noise, min(noise.Lost, (host.Throttled()-before).Seconds()/noise.Duration)
		l.Loopback = loopback()
	}
	if own, _, err := netif.Own(netif.Selection{}, "auto"); err == nil { // not those of containers
		l.Facts.NICs = slices.DeleteFunc(l.Facts.NICs, func(n host.NIC) bool {
			return n.Fabric == "" && !slices.ContainsFunc(own, func(c netif.Candidate) bool { return c.Interface == n.Name })
		})
	}
	l.Location = ownLocation(ctx, l.Facts.NICs)
	return l
}

// loopTrips is the number of round trips of loopback.
const loopTrips = 200

// loopback returns the median of half round trips of 8 bytes over TCP within this host, in seconds,
// 0 if there are none.
func loopback() float64 {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			defer c.Close()
			io.Copy(c, c)
		}
	}()
	c, err := net.DialTimeout("tcp", l.Addr().String(), dialTimeout)
	if err != nil {
		return 0
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(dialTimeout))
	var times []float64
	var word [smallSize]byte
	for range loopTrips {
		begun := time.Now()
		if _, err := c.Write(word[:]); err != nil {
			return 0
		}
		if _, err := io.ReadFull(c, word[:]); err != nil {
			return 0
		}
		times = append(times, time.Since(begun).Seconds()/2)
	}
	return stats.Median(times)
}

// Look returns the facts of each host, and the hosts that have not answered, with the reason.
// Memory is copied and noise measured if memory is set, on atOnce hosts at the same time, 0 = all:
// hosts that share cores disturb each other.
func (w *Workers) Look(ctx context.Context, memory bool, atOnce int) (list []pairs.Facts, missing map[string]error) {
	missing = map[string]error{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	turns := make(chan struct{}, cmp.Or(atOnce, len(w.all)))
	for name, r := range w.all {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			f, err := r.look(ctx, memory)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				missing[name] = err
				return
			}
			list = append(list, f)
		})
	}
	wait.Wait()
	slices.SortFunc(list, func(a, b pairs.Facts) int { return strings.Compare(a.Host, b.Host) })
	return list, missing
}

// clockTries is the number of readings of a clock, of which the quickest counts.
const clockTries = 5

func (r *remoteWorker) look(ctx context.Context, memory bool) (pairs.Facts, error) {
	var offset, within time.Duration
	for i := range clockTries {
		o, e, err := r.clock(ctx)
		if err != nil {
			return pairs.Facts{}, err
		}
		if i == 0 || e < within {
			offset, within = o, e
		}
	}
	number := r.count.Add(1)
	if err := r.send(order{Look: &lookOrder{number, memory}}); err != nil {
		return pairs.Facts{}, err
	}
	timeout := time.NewTimer(lookTimeout)
	defer timeout.Stop()
	for {
		select {
		case l := <-r.looks:
			if l.Number != number {
				continue
			}
			r.seen = l.Facts
			f := l.facts(r.host)
			if offset.Abs() > within { // else it is no more than the way to it
				f.Numbers[pairs.NumberTime] = offset.Seconds()
			} else {
				f.Numbers[pairs.NumberTime] = 0
			}
			return f, nil
		case <-timeout.C:
			return pairs.Facts{}, fmt.Errorf("it has not described itself within %v", lookTimeout)
		case <-ctx.Done():
			return pairs.Facts{}, context.Cause(ctx)
		}
	}
}

// facts names what is compared between hosts.
func (l *look) facts(name string) pairs.Facts {
	f := l.Facts
	words := map[string]string{
		"architecture":           f.Arch,
		"kernel":                 f.Kernel,
		"processor":              f.CPU.Model,
		"governor":               f.CPU.Governor,
		"hypervisor":             f.Hypervisor,
		"clock source":           f.Clocksource,
		"congestion control":     f.Congestion,
		"huge pages":             f.Memory.THP,
		"libraries":              strings.Join(f.Libraries, " "),
		"gobench":                l.Version,
		"NUMA nodes":             fmt.Sprint(len(f.NUMA)),
		"limit of locked memory": pointed(f.Limits.Locked, "%d bytes"),
		"limit of CPU time":      pointed(f.Limits.CPU, "%v cores"),
		"cores":                  pointed(f.CPU.Cores, "%d"),
	}
	if f.Memory.Total != nil {
		// The kernel keeps a little of the same modules on one host more than on another.
		words["memory"] = fmt.Sprintf("%.3g GB", float64(*f.Memory.Total)/1e9)
	}
	each := map[string][]string{}
	for _, n := range f.NICs {
		add := func(fact, value string) {
			if value != "" {
				each[fact] = append(each[fact], value)
			}
		}
		add(pairs.FactNIC, strings.TrimSpace(n.Driver+n.Kind+" "+n.Fabric))
		add("firmware of the NIC", n.Firmware)
		add("offloads", n.Offloads)
		add(pairs.FactMTU, pointed(n.MTU, "%d"))
		if n.Rate != nil {
			add(pairs.FactRate, fmt.Sprintf("%g Gbit/s", float64(*n.Rate)/1e9))
		}
		if p := n.PCIe; p != nil {
			add(pairs.FactPCIe, fmt.Sprintf("x%d %g GT/s", p.Lanes, p.Rate))
		}
	}
	for fact, values := range each {
		slices.Sort(values)
		words[fact] = strings.Join(values, pairs.FactSeparator)
	}
	numbers := map[string]float64{}
	if l.Copy > 0 {
		numbers[pairs.NumberCopy] = l.Copy
	}
	if l.Loopback > 0 {
		numbers[pairs.NumberLoop] = l.Loopback
	}
	for _, link := range normal.Links(&record.Run{Hosts: []any{f}}) {
		numbers[pairs.NumberBound] = max(numbers[pairs.NumberBound], link.Value)
	}
	if l.Noise != nil {
		numbers[pairs.NumberLeft], numbers[pairs.NumberHeld] = 1-l.Noise.Lost, l.Held
	}
	return pairs.Facts{Host: name, Location: l.Location, Words: words, Numbers: numbers}
}

func pointed[T any](p *T, format string) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf(format, *p)
}
