package hybrid

import (
	"context"
	"fmt"
	"maps"

	"gobench/device"
	"gobench/device/protocol"
)

// wires are the open wires of a rank.
type wires struct {
	inside  protocol.Wire // nil if it has no peers
	first   protocol.Wire // of protocol.New
	config  protocol.Config
	sharing bool // some ranks of the job share a host
}

// open opens the wires that are needed. It is collective: either all ranks get wires or all get an
// error.
func (d driver) open(ctx context.Context, job device.Job, opts device.Options) (w wires, err error) {
	inside, between, err := d.wires()
	if err != nil {
		return w, err
	}
	hosts := job.Hosts()
	if len(hosts) != job.Size() {
		return w, fmt.Errorf("transport %s: the launcher has told the hosts of %d ranks, there are %d", d.Name(), len(hosts), job.Size())
	}
	together := func(a, b int) bool { return hosts[a] == hosts[b] }
	apart := func(a, b int) bool { return hosts[a] != hosts[b] }

	w.sharing = some(together, job.Size())
	if w.sharing && some(apart, job.Size()) && opts.Word("wait") == "block" {
		// protocol.New would refuse it on the ranks that have both wires only.
		return w, &device.ValueError{Option: "wait", Value: "block", Want: fmt.Sprintf("auto, spin or yield: no event wakes a rank that waits for both %s and %s", d.inside, d.between)}
	}
	w.config = protocol.NewConfig(d.Name(), job, opts)
	w.config.Found = map[string]string{}
	w.config.InForce = map[string]string{"inside": "none: each rank is alone on its host", "between": "none: all ranks are on one host"}
	var network protocol.Wire
	defer func() {
		if err != nil {
			closeAll(w.inside, network)
		}
	}()
	if w.sharing || job.Size() == 1 {
		if w.inside, err = d.part(ctx, job, opts, "inside", inside, together, &w.config); err != nil {
			return w, err
		}
	}
	if some(apart, job.Size()) {
		if network, err = d.part(ctx, job, opts, "between", between, apart, &w.config); err != nil {
			return w, err
		}
	}
	peers := make([]bool, job.Size()) // on other hosts
	alone := true
	for peer := range peers {
		peers[peer] = apart(job.Rank(), peer)
		alone = alone && (peers[peer] || peer == job.Rank())
	}
	switch {
	case network == nil:
		w.first = w.inside
	case alone:
		w.first = network
		closeAll(w.inside)
		w.inside = nil
	default:
		w.first = w.inside
		w.config.Parts = []protocol.Part{{Wire: network, Peers: peers}}
	}
	return w, nil
}

// some reports whether pairs has a pair among size ranks.
func some(pairs protocol.Pairs, size int) bool {
	for a := range size {
		for b := range a {
			if pairs(a, b) {
				return true
			}
		}
	}
	return false
}

func closeAll(list ...protocol.Wire) {
	for _, w := range list {
		if w != nil {
			w.Close()
		}
	}
}

// part opens one wire, and adds its options to the effective ones. The ranks exchange whether they
// have opened it, because it may be open on some of them only.
func (d driver) part(ctx context.Context, job device.Job, opts device.Options, role string, opener protocol.WireOpener, pairs protocol.Pairs, c *protocol.Config) (protocol.Wire, error) {
	w, part, err := d.openWire(ctx, job, opts, opener, pairs)
	_, err = device.Agree(ctx, job, 1, role, err)
	if err != nil {
		closeAll(w)
		return nil, err
	}
	maps.Copy(c.InForce, part.InForce)
	maps.Copy(c.Found, part.Found)
	c.InForce[role] = opener.Name()
	c.Warnings = append(c.Warnings, part.Warnings...)
	if part.Route != "" {
		c.Route, c.MTU = part.Route, part.MTU
	}
	return w, nil
}

// openWire opens a wire with those of the options that its driver declares.
func (d driver) openWire(ctx context.Context, job device.Job, opts device.Options, opener protocol.WireOpener, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	set, values := map[string]string{}, opts.Map()
	for _, o := range opener.Options() {
		set[o.Name] = values[o.Name]
	}
	own, err := device.ParseOptions(opener.Options(), set)
	if err != nil {
		return nil, protocol.Config{}, err
	}
	return opener.OpenWire(ctx, job, own, pairs)
}

// alone is the protocol.Exporter of a rank that is alone on its host and shares no memory. It has
// one because collective operations call it on all ranks.
type alone struct{ rank int }

func (a alone) Export([]byte) ([]byte, error)      { return nil, a.refuse() }
func (a alone) Import(int, []byte) ([]byte, error) { return nil, a.refuse() }
func (a alone) refuse() error                      { return fmt.Errorf("rank %d shares no memory with any other", a.rank) }
func (alone) Post(dst, src []byte)                 { copy(dst, src) }
func (alone) Fetch(dst, src []byte)                { copy(dst, src) }
func (alone) Gap() int                             { return 0 }
