package smem

import (
	"fmt"
	"slices"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/simd"
)

// Sizes in bytes, chosen by measurement (docs/notes/smem.md).
const (
	fragment = 32 << 10

	// bulk is the size from which the routine of the way copies data.
	bulk = 1 << 10

	// farLatency is the core-to-core latency in seconds above which a peer counts as far.
	farLatency = 120e-9
)

// A way holds the methods for messages between two ranks at one distance.
type way struct {
	copier string          // the routine that copies into the ring (simd.Copiers)
	fetch  string          // the routine that copies out of it, and to and from memory that peers reach
	eager  int             // size of the largest eager message, in bytes
	method protocol.Method // of longer ones in ordinary memory
}

// methods are the settings of all messages.
type methods struct {
	near, far way
	direct    int // size from which memory that peers can reach is copied without the ring, bytes
	split     int // size from which both ranks copy such memory, half each, bytes
}

// at returns the way at a distance.
func (m *methods) at(distance int) *way {
	if distance == far {
		return &m.far
	}
	return &m.near
}

// usual are the methods where no option is set.
var usual = methods{
	near:   way{"go", "go", 64 << 10, protocol.Pipeline},
	far:    way{"stream", "go", 32 << 10, protocol.Split},
	direct: 8 << 10,
	split:  64 << 10,
}

var methodWords = []string{protocol.Pipeline.String(), protocol.Get.String(), protocol.Put.String(), protocol.Split.String()}

// measured is the value of near_copy, near_fetch, far_copy, far_fetch, far_eager and far_rndv that
// leaves the choice to a measurement at open, and unset the method of far_rndv=auto.
const (
	measured = "auto"
	unset    = protocol.Method(0xff)
)

// methodOptions are the options for methods.
func methodOptions() []device.Option {
	search := func(sizes, memory string, values ...string) *device.Search {
		return &device.Search{Values: values, Sizes: sizes, Memory: memory}
	}
	bytes := func(name string, value int, help string, s *device.Search) device.Option {
		return device.Option{Name: name, Kind: device.Bytes, Default: fmt.Sprint(value), Help: help, Search: s}
	}
	longer := search("64K,256K,1M", "heap", methodWords...)
	var routines, cached []string
	for _, c := range simd.Copiers() {
		routines = append(routines, c.Name)
		if !c.Around {
			cached = append(cached, c.Name)
		}
	}
	words := func(names []string) []string { return slices.Insert(slices.Clone(names), 0, measured) }
	copying, fetching := search("4K,16K,64K", "heap", routines...), search("4K,16K,64K", "heap", cached...)
	return []device.Option{
		{Name: "near_copy", Kind: device.Word, Default: measured, Values: words(routines),
			Help: "how 1 KiB and more are copied for a peer whose core is near: Go's copy, the processor's string copy, vector loops, or stores past the caches", Search: copying},
		{Name: "far_copy", Kind: device.Word, Default: measured, Values: words(routines), Help: "the same where it is far (more than 120 ns)", Search: copying},
		{Name: "near_fetch", Kind: device.Word, Default: measured, Values: words(cached),
			Help: "how data of 2 KiB and more from a peer whose core is near is copied out of the ring, and how memory that peers can reach is copied, in both directions", Search: fetching},
		{Name: "far_fetch", Kind: device.Word, Default: measured, Values: words(cached), Help: "the same where it is far", Search: fetching},
		bytes("near_eager", usual.near.eager, "eager_limit where it is auto and the two cores are near",
			search("16K,32K,64K,128K", "heap", "16K", "32K", "64K", "128K")),
		{Name: "far_eager", Kind: device.Bytes, Default: measured,
			Help:   "the same where they are far; auto is 64KiB where the ring was faster with that at open than the kernel's copy, else 32KiB",
			Search: search("8K,16K,32K,64K", "heap", "8K", "16K", "32K", "64K")},
		{Name: "near_rndv", Kind: device.Word, Default: usual.near.method.String(), Values: methodWords,
			Help: "rndv where it is auto, the two cores are near and peers cannot reach the memory directly", Search: longer},
		{Name: "far_rndv", Kind: device.Word, Default: measured, Values: append([]string{measured}, methodWords...),
			Help: "the same where they are far; auto is pipeline where the ring was faster with 1 MiB at open than the kernel's copy, else split, of which messages in both directions are get, and streams pipeline", Search: longer},
		bytes("direct", usual.direct, "smallest message that is copied once where peers can reach the memory (--memory=device, goroutines)",
			search("4K,8K,16K,32K", "device", "4K", "8K", "16K", "32K")),
		bytes("split", usual.split, "smallest such message that both ranks copy, half each",
			search("16K,32K,64K,128K", "device", "16K", "32K", "64K", "128K")),
	}
}

// methodsOf returns the settings of options.
func methodsOf(opts device.Options) methods {
	method := func(name string) protocol.Method {
		if m, ok := protocol.ParseMethod(opts.Word(name)); ok {
			return m
		}
		return unset
	}
	return methods{
		near:   way{opts.Word("near_copy"), opts.Word("near_fetch"), opts.Bytes("near_eager"), method("near_rndv")},
		far:    way{opts.Word("far_copy"), opts.Word("far_fetch"), opts.Bytes("far_eager"), method("far_rndv")},
		direct: opts.Bytes("direct"),
		split:  opts.Bytes("split"),
	}
}

// adopt puts settings in force. It returns a *device.ValueError if this processor or build lacks a
// routine that was asked for.
func (w *wire) adopt(m methods) error {
	for distance, name := range [distances]string{"near", "far"} {
		way, usual := m.at(distance), w.methods.at(distance)
		var err error
		if w.copiers[distance], err = routine(&way.copier, usual.copier, name+"_copy"); err != nil {
			return err
		}
		if w.fetchers[distance], err = routine(&way.fetch, usual.fetch, name+"_fetch"); err != nil {
			return err
		}
	}
	w.limits.EagerLimit = max(m.near.eager, m.far.eager)
	if m.far.eager < 0 {
		// Peers may have found another limit, if they do not see this rank at the same distance.
		w.limits.EagerLimit = max(m.near.eager, usual.far.eager, longEager)
		m.far.eager = w.methods.far.eager
	}
	if m.far.method == unset {
		m.far.method = w.methods.far.method
	}
	w.methods = m
	for i := range w.peers {
		w.choose(&w.peers[i])
	}
	return nil
}

// routine returns the routine of that name, of which an option is the value, nil for Go's copy,
// which is cheaper to call directly. It changes measured to the usual name, and that to Go's copy
// where this processor or build lacks it.
func routine(name *string, usual, option string) (copier, error) {
	asked := *name
	if asked == measured {
		*name = usual
	}
	c, ok := simd.CopierOf(*name)
	if !ok && asked != measured {
		return nil, &device.ValueError{Option: option, Value: asked, Want: measured + ", or a routine that this processor and build have"}
	} else if !ok {
		c = simd.GoCopy
		*name = c.Name
	}
	if c.Name == simd.GoCopy.Name {
		return nil, nil
	}
	return c.Copy, nil
}

// A copier copies src to dst, which is at least as long. A nil copier is Go's copy.
type copier func(dst, src []byte)

func (c copier) copy(dst, src []byte) {
	if c == nil {
		simd.CopyCached(dst, src)
	} else {
		c(dst, src)
	}
}

// The distances of two cores, as indices.
const (
	near = iota
	far
	distances
)

// choose sets the routines that copy for a peer, and for all.
func (w *wire) choose(p *peer) {
	distance := near
	if p.far {
		distance = far
	}
	p.out.bulk, p.out.claims, p.fetch = w.copiers[distance], p.far, w.fetchers[distance]
	w.posts, w.fetches, w.gap = w.copiers[near], w.fetchers[near], nearGap
	for _, rank := range w.others {
		if w.peers[rank].far {
			w.posts, w.fetches, w.gap = w.copiers[far], w.fetchers[far], 0
		}
	}
}

// Route implements protocol.Router. The choice depends on the last measured core-to-core latency
// (peer.learn): the ring transfers every cache line between the cores twice, so it is best for near
// peers and worst for far ones, for which the kernel's copy (cross memory attach) is faster despite
// its start-up cost. During transfers with several peers, no core is idle to fill a ring while
// another empties it, and one copy is better than two. In a stream of messages in one direction no
// core waits while the ring is filled and emptied. Memory from Alloc, which peers map, is copied
// once: by the side that can, or half by each.
func (w *wire) Route(peer, size int, t protocol.Transfer) protocol.Route {
	how := w.methods.near
	if w.peers[peer].far && w.reach != reachNone {
		how = w.methods.far
	}
	mine, direct := t.Alloced || w.reach == reachDirect, protocol.Get
	if size >= w.methods.split {
		direct = protocol.Split
	}
	if w.fenced != "" {
		mine, t.Alloced = false, false
	} else if len(w.regions) > 0 && !mine {
		region, _ := w.regions.find(t.Mine)
		mine = region != nil
	}
	// A key is only a description, so a receiver always gets it.
	r := protocol.Route{Eager: size <= how.eager, Key: true, Method: protocol.Pipeline}
	if mine {
		r.Eager = r.Eager && size < w.methods.direct
	}
	switch theirs := t.Alloced || t.Keyed && uint32(t.Theirs[0]) == keyRegion; {
	case w.reach == reachDirect, mine && theirs:
		r.Method = direct
	case theirs:
		r.Method = protocol.Get
	case mine:
		r.Method = protocol.Put
	case w.reach == reachNone:
	case t.Both && how.method == protocol.Split:
		r.Method = protocol.Get // each core makes its own copy, which leaves the data in its cache
	case t.Stream && !t.Crowded && how.method == protocol.Split:
		// Halves of one message after the other leave each core waiting for the other.
	case how.method != protocol.Pipeline:
		r.Method = how.method
	case t.Crowded:
		r.Method = protocol.Put
	}
	return r
}
