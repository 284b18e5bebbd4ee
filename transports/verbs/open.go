//go:build verbs && cgo

package verbs

import (
	"context"
	"fmt"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

func init() {
	driver.Calls = &native.Calls{Look: probe, Link: openRaw}
	driver.OpenPairs = openPairs
}

// refuseRaw returns an error for options that only level raw supports: several queue pairs per pair
// of ranks would not preserve the order of messages, and services other than RC would lose some.
func refuseRaw(opts device.Options) error {
	if s := opts.Word("service"); s != "rc" {
		return &device.ValueError{Option: "service", Value: s, Want: "rc: other services are for level raw"}
	}
	if opts.Count("qps") > 1 {
		return &device.ValueError{Option: "qps", Value: opts.Word("qps"), Want: "1: messages keep their order within one queue pair; several are for level raw"}
	}
	return nil
}

// openPairs connects the pairs of ranks for level device.
func openPairs(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	if err := refuseRaw(opts); err != nil {
		return nil, protocol.Config{}, err
	}
	w, c, err := openWire(ctx, job, opts, pairs)
	if err != nil {
		return nil, c, err
	}
	return w, c, nil
}

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	w, c, err := openWire(ctx, job, opts, nil)
	if err != nil {
		return nil, err
	}
	raw, err := protocol.NewRaw(w, c)
	if err != nil {
		return nil, err
	}
	return protocol.Linking(raw, w), nil
}

// openWire connects the pairs of ranks. An error of one rank is sent to all, so that none waits for
// it.
func openWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (*wire, protocol.Config, error) {
	c := protocol.NewConfig(name, job, opts)
	set, err := parse(opts, job.Size())
	if err != nil {
		return nil, c, err
	}
	w := newWire(job.Rank(), job.Size(), set)
	if err = w.prepare(pairs); err == nil {
		err = w.openRails()
	}
	if err == nil {
		err = w.memory.Cache(name, set.regCache)
	}
	if err = w.connect(ctx, job, err); err != nil {
		w.abandon()
		return nil, c, err
	}
	w.limits.MemoryPerPair = w.memoryPerPair()
	c.InForce = w.inForce()
	if library, emulated := ibv.Library(); emulated {
		c.InForce["library"] += ", XRC emulated"
		c.Warnings = append(c.Warnings, "The library "+library+" makes XRC of RC: its times say nothing about XRC of an adapter.")
	}
	return w, c, nil
}

// prepare loads the library, chooses the places and numbers the peers of pairs.
func (w *wire) prepare(pairs protocol.Pairs) error {
	if err := ibv.Load(); err != nil {
		return native.Unavailable(name, err, "libibverbs1 and ibverbs-providers")
	}
	for rank := range w.peers {
		if pairs.Connect(w.rank, rank) {
			p := &peer{Peer: rma.Peer{Rank: rank}, queue: len(w.byQ)}
			w.peers[rank], w.byQ = p, append(w.byQ, p)
			w.Add(&p.Peer)
		}
	}
	var err error
	w.railAddresses, err = chooseAddresses(hcas(sysfs), w.set, w.rank)
	return err
}

func (w *wire) openRails() error {
	if w.set.exchange == "auto" {
		w.set.exchange = "tcp"
		if w.railAddresses[0].iwarp || w.set.lazy {
			w.set.exchange = "rdmacm"
		}
	}
	for _, at := range w.railAddresses {
		switch {
		case at.iwarp && w.set.service != "rc":
			return &device.ValueError{Option: "service", Value: w.set.service, Want: "rc: " + at.device + " is iWARP, which has reliable connections alone"}
		case w.set.service == "xrc" && !hasXRC(at.device):
			return &device.ValueError{Option: "service", Value: "xrc", Want: "rc, uc or ud: device " + at.device + " has no XRC"}
		}
		if at.iwarp && w.set.exchange == "tcp" {
			return &device.ValueError{Option: "exchange", Value: "tcp", Want: "rdmacm: " + at.device + " is iWARP, which connects by RDMA CM alone"}
		}
	}
	iwarp := w.railAddresses[0].iwarp // which has no immediate data
	// Of the others a write is complete when it has been sent (IBTA 1.4, 9.7; RFC 5040, 5.5).
	w.limits.Written = !iwarp && (w.set.service == "rc" || w.set.service == "xrc")
	switch {
	case w.set.notice == "on" && iwarp:
		return &device.ValueError{Option: "notice", Value: "on", Want: "auto or off: iWARP has no immediate data"}
	case w.set.notice == "auto" && iwarp:
		w.set.notice = "off"
	case w.set.notice == "auto":
		w.set.notice = "on"
	}
	if w.set.exchange == "rdmacm" {
		if w.set.serviceLevel != 0 {
			return &device.ValueError{Option: "service_level", Value: fmt.Sprint(w.set.serviceLevel),
				Want: "0 with exchange=rdmacm: RDMA CM takes the service level from the route, and on RoCE from traffic_class"}
		}
		if w.set.mtu != 0 && iwarp {
			return &device.ValueError{Option: "path_mtu", Value: fmt.Sprint(128 << w.set.mtu), Want: "auto: iWARP has none"}
		}
		return w.openCM()
	}
	for i, at := range w.railAddresses {
		r, err := ibv.Open(at.device, w.railConfig(at.port.number))
		if err != nil {
			return w.explainOpen(at, err)
		}
		w.railAddresses[i].global = at.global || r.Port().Global
		w.add(r)
	}
	return nil
}

// hasXRC reports whether a device supports XRC. It is true for a device that cannot be queried,
// because opening it will return the error.
func hasXRC(name string) bool {
	t, err := ibv.QueryTraits(name)
	return err != nil || t.XRC
}

// inForce returns the effective options.
func (w *wire) inForce() map[string]string {
	at := w.railAddresses[0]
	library, _ := ibv.Library()
	m := map[string]string{
		"library":  library,
		"device":   at.device,
		"port":     fmt.Sprint(at.port.number),
		"exchange": w.set.exchange,
		"credits":  fmt.Sprint(w.set.credits),
		"queue":    fmt.Sprint(w.set.queue),
		"qps":      fmt.Sprint(w.set.queues),
		"service":  w.set.service,
		"srq":      map[bool]string{false: "off", true: "on"}[w.set.shared],
		"inline":   fmt.Sprint(w.rails[0].Inline()),
		"segment":  fmt.Sprint(w.set.segment),
	}
	if mtu := w.mtu(); mtu > 0 {
		m["path_mtu"] = fmt.Sprint(mtu)
	}
	m["notice"] = w.set.notice
	m["reg_cache"] = fmt.Sprint(w.memory.Stats().Limit)
	for _, other := range w.railAddresses[1:] {
		m["device"] += "+" + other.device
	}
	if at.global {
		m["gid"] = at.gid.String()
	}
	return m
}
