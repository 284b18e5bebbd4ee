package normal

import (
	"fmt"
	"strings"

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
	link, ok := linkOf(p, run)
	if !ok {
		return Bound{}, false
	}
	return link.bound()
}

// A link is the network card on the way between two hosts.
type link struct {
	Rate     float64 // bit/s of the wire, 0 = not known
	MTU      int
	Lanes    int
	MaxLanes int     // lanes of the card
	Each     float64 // GT/s of a lane
	rdma     bool
	virtual  bool // the host is a virtual machine
}

// class returns the class of a protocol over the link, "" if its rate is not known.
func (l link) class(protocol string) string {
	if l.Rate == 0 {
		return ""
	}
	class := fmt.Sprintf("%s over %g Gbit/s", protocol, l.Rate/1e9)
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
	for _, f := range host.Of(run) {
		for _, n := range f.NICs {
			if n.Name == name || strings.HasPrefix(n.Name, name+"/") {
				return link{float64(n.Rate), n.MTU, n.PCIe.Lanes, n.PCIe.MaxLanes, n.PCIe.Rate, strings.Contains(n.Name, "/"), f.Virtual()}, true
			}
		}
	}
	return link{}, false
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
	for _, f := range host.Of(run) {
		for _, n := range f.NICs {
			l := link{float64(n.Rate), n.MTU, n.PCIe.Lanes, n.PCIe.MaxLanes, n.PCIe.Rate, strings.Contains(n.Name, "/"), f.Virtual()}
			if b, ok := l.bound(); ok {
				list = append(list, Link{n.Name, l.Rate, b})
			}
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
		reason = fmt.Sprintf("%g Gbit/s", l.Rate/1e9)
		if !l.rdma {
			mtu := float64(l.MTU)
			if mtu <= headerBytes {
				mtu = 1500
			}
			share = (mtu - headerBytes) / (mtu + frameBytes)
			reason += fmt.Sprintf(", frames of %.0f bytes", mtu)
		}
		wire = l.Rate / 8 * share
	}
	switch {
	case slot > 0 && (wire == 0 || slot < wire):
		reason = fmt.Sprintf("PCIe x%d at %g GT/s", l.Lanes, l.Each)
		if l.MaxLanes > l.Lanes {
			reason = fmt.Sprintf("PCIe x%d of x%d at %g GT/s", l.Lanes, l.MaxLanes, l.Each)
		}
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
	if l.Lanes == 0 || l.Each == 0 {
		return 0
	}
	encoding := 128.0 / 130
	switch {
	case l.Each <= 5:
		encoding = 8.0 / 10
	case l.Each >= 64:
		encoding = 242.0 / 256
	}
	return float64(l.Lanes) * l.Each * 1e9 / 8 * encoding
}
