package normal

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/host"
	"gobench/record"
)

// A Bound is what the facts of a machine allow at most: a time that cannot be shorter, or a rate
// that cannot be higher.
type Bound struct {
	Metric string
	Value  float64 // in the unit of the metric
	Reason string  // "a cache line takes 31 ns", "100 Gbit/s, frames of 1500 bytes"
}

// Share returns the part of the bound that a value reaches: 0.95 of a rate, 1.2 times a time.
func (b Bound) Share(value float64) float64 { return value / b.Value }

// Of returns the bound of a metric of a row, whose run may be nil. ok is false if the facts set
// none.
func Of(p *record.Point, run *record.Run, key string) (b Bound, ok bool) {
	if run == nil || p.IsApplication() || p.Algorithm != "" {
		return Bound{}, false
	}
	switch {
	case key == "half_rtt_s" && p.Transport == "smem" && p.StateDistance > 0:
		return Bound{key, p.StateDistance, fmt.Sprintf("a cache line takes %.0f ns", p.StateDistance*1e9)}, true
	case key != "bandwidth_Bps":
		return Bound{}, false
	}
	// A sum over pairs or both directions has no bound by one link. Threads may take turns.
	one := p.Size * int64(max(1, p.Window))
	if p.Amount != one && p.Amount != one*int64(max(1, p.Threads)) {
		return Bound{}, false
	}
	link, ok := linkOf(p, run)
	if !ok {
		return Bound{}, false
	}
	return link.bound()
}

// A link is the network card on the way between two hosts.
type link struct {
	host.NIC
	virtual bool // the host is a virtual machine
}

func (l link) rdma() bool { return strings.Contains(l.Name, "/") }

// links returns the network cards of the hosts of a run.
func links(run *record.Run) (list []link) {
	for _, f := range host.Of(run) {
		list = append(list, collect.Each(f.NICs, func(n host.NIC) link { return link{n, f.Virtual()} })...)
	}
	return list
}

// class returns the class of a protocol over the link, "" if its rate is not known.
func (l link) class(protocol string) string {
	if l.Rate == 0 {
		return ""
	}
	class := fmt.Sprintf("%s over %g Gbit/s", protocol, float64(l.Rate)/1e9)
	if l.virtual && l.Rate >= 10e9 {
		class += " in virtual machines"
	}
	return class
}

// linkOf returns the network card that the route of a row begins with. ok is false if no network is
// on the way.
func linkOf(p *record.Point, run *record.Run) (l link, ok bool) {
	name, _, found := strings.Cut(p.Route, " ")
	if !found {
		return link{}, false
	}
	all := links(run)
	i := slices.IndexFunc(all, func(l link) bool { return l.Name == name || strings.HasPrefix(l.Name, name+"/") })
	if i < 0 {
		return link{}, false
	}
	return all[i], true
}

// A Link is a network card of a host with the bound of its rate.
type Link struct {
	Name string
	Rate float64 // bit/s of the wire, 0 = not known
	Bound
}

// Links returns the network cards of the hosts of a run whose facts set a bound.
func Links(run *record.Run) []Link {
	var list []Link
	for _, l := range links(run) {
		if b, ok := l.bound(); ok {
			list = append(list, Link{l.Name, float64(l.Rate), b})
		}
	}
	return list
}

// Shares of the bits of a wire that are payload. Ethernet: a frame of MTU bytes takes 38 more
// (preamble, header, check sequence and gap of IEEE 802.3), and holds 52 bytes of the headers of
// IPv4 and of TCP with time stamps (RFC 7323). InfiniBand: packets of 4096 bytes with 30 of headers
// and checks.
const (
	frameBytes  = 38
	headerBytes = 52
	packet      = 4096.0 / (4096 + 30)
)

// bound returns the lower one of the payload rate of the wire and the rate of the PCIe slot.
func (l link) bound() (Bound, bool) {
	wire, slot := 0.0, l.slot()
	reason := ""
	if l.Rate > 0 {
		share := packet
		reason = fmt.Sprintf("%g Gbit/s", float64(l.Rate)/1e9)
		if !l.rdma() {
			mtu := float64(l.MTU)
			if mtu <= headerBytes {
				mtu = 1500
			}
			share = (mtu - headerBytes) / (mtu + frameBytes)
			reason += fmt.Sprintf(", frames of %.0f bytes", mtu)
		}
		wire = float64(l.Rate) / 8 * share
	}
	switch {
	case slot > 0 && (wire == 0 || slot < wire):
		lanes := fmt.Sprintf("x%d", l.PCIe.Lanes)
		if l.PCIe.MaxLanes > l.PCIe.Lanes {
			lanes += fmt.Sprintf(" of x%d", l.PCIe.MaxLanes)
		}
		reason = fmt.Sprintf("PCIe %s at %g GT/s", lanes, l.PCIe.Rate)
		return Bound{"bandwidth_Bps", slot, reason}, true
	case wire > 0:
		return Bound{"bandwidth_Bps", wire, reason}, true
	}
	return Bound{}, false
}

// slot returns the bytes per second of the PCIe slot in one direction, after the encoding of its
// generation (8b/10b up to 5 GT/s, 128b/130b up to 32, flits of 242 in 256 bytes from 64 on) and
// before packet headers; 0 = not known.
func (l link) slot() float64 {
	lane := l.PCIe.Rate
	encoding := 128.0 / 130
	switch {
	case lane <= 5:
		encoding = 8.0 / 10
	case lane >= 64:
		encoding = 242.0 / 256
	}
	return float64(l.PCIe.Lanes) * lane * 1e9 / 8 * encoding
}
