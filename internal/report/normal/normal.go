// Package normal answers whether a number is usual: by ranges that sources report for machines of
// its class, and by the bound that the facts of its own machine set.
package normal

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"

	"gobench/internal/bench/state"
	"gobench/record"
)

// A Range is what sources report for a metric on machines of a class.
type Range struct {
	Class   string
	Metric  string   // key in the catalogue of metrics
	Lo, Hi  float64  // in the unit of the metric
	Sources []string // their names, see Source
}

//go:embed ranges.toml
var text string

var table = sync.OnceValue(func() (t struct {
	Sources map[string]struct{ Text string }
	Range   []Range
	Lacking string
}) {
	if _, err := toml.Decode(text, &t); err != nil {
		panic(err) // a test decodes the same text
	}
	return t
})

// Ranges returns all ranges, in the order of their classes.
func Ranges() []Range { return table().Range }

// Lacking returns a sentence about classes for which no source was found.
func Lacking() string { return table().Lacking }

// SourceNames returns the names of all sources, sorted.
func SourceNames() []string { return slices.Sorted(maps.Keys(table().Sources)) }

// Source returns the description of a source by its name.
func Source(name string) string { return table().Sources[name].Text }

// Usual returns the range of a metric of a row, whose run may be nil. ok is false if no source
// covers its class, or if the row is of another benchmark or size than the sources.
func Usual(p *record.Point, run *record.Run, key string) (r Range, ok bool) {
	if p.Bench != "pingpong" || key == "half_rtt_s" && p.Size > 64 {
		return Range{}, false
	}
	class := Class(p, run)
	if l, ok := linkOf(p, run); ok && l.rdma() && key == "bandwidth_Bps" && class == "network cards in user space" {
		class = l.class("RDMA")
	}
	return UsualOf(class, key)
}

// UsualOf returns the range of a metric for a class.
func UsualOf(class, key string) (r Range, ok bool) {
	i := slices.IndexFunc(Ranges(), func(r Range) bool { return r.Class == class && r.Metric == key })
	if i < 0 {
		return Range{}, false
	}
	return Ranges()[i], true
}

// Class returns the class of the path between the ranks of a row, "" if the facts do not tell.
func Class(p *record.Point, run *record.Run) string {
	if run == nil || p.Library != "" && p.Transport == "" {
		return ""
	}
	between := slices.ContainsFunc(run.Job.Hosts, func(at int) bool { return at != run.Job.Hosts[0] })
	// fast sockets of one host are no TCP
	tcp := p.Transport == "tcp" || p.Transport == "sctp" || p.Transport == "sockets" && p.Path == "stream"
	switch {
	case p.Transport == "smem" && !between:
		return coresClass(p, run)
	case tcp && !between:
		return "loopback"
	case slices.Contains([]string{"ibv", "ucx", "ofi", "mxm", "gni"}, p.Transport) && between && fabric(run):
		return "network cards in user space"
	case tcp && between:
		link, _ := linkOf(p, run)
		return link.class("TCP")
	}
	return ""
}

// coresClass returns the class of two cores of one host: by the state of the cores that was
// measured, or else by their distance in the topology.
func coresClass(p *record.Point, run *record.Run) string {
	sockets := func() string {
		if run.Job.Pairs["same host"] > 0 {
			return "cores of two sockets"
		}
		return "cores of one socket"
	}
	switch state.Parse(p.State).Pair() {
	case state.Near:
		return "near cores"
	case state.Middle, state.Far:
		return sockets()
	case state.Changing:
		return ""
	}
	switch {
	case run.Job.Pairs["shared cache"] > 0 || run.Job.Pairs["threads of a core"] > 0:
		return "near cores"
	case run.Job.Pairs["same socket"] > 0 || run.Job.Pairs["same host"] > 0:
		return sockets()
	}
	return ""
}

// fabric reports whether a host has an RDMA port.
func fabric(run *record.Run) bool {
	return slices.ContainsFunc(links(run), link.rdma)
}
