//go:build gni && cgo

package gni

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"gobench/device"
	"gobench/device/contact"
	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native"
	"gobench/transports/native/rma"
)

func init() {
	driver.Calls = &native.Calls{Look: probe, Link: openRaw}
	driver.OpenPairs = openPairs
}

func probe(opts device.Options) error {
	if _, err := ugni.Load(libraryOf(opts)); err != nil {
		return explainLoad(err)
	}
	return nil
}

func explainLoad(err error) error {
	return native.Unavailable(name, err, "the Cray Linux Environment's package cray-ugni")
}

func openPairs(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
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
	return protocol.Stepping(raw, w), nil
}

// endpointVersion changes whenever the format of messages or endpoints does.
const endpointVersion = 3

// endpoint describes a rank to all others.
type endpoint struct {
	Process string // by device.Process
	Shape   string // of mailboxes, which must agree
	Job     credentials
	Address uint32
	Mailbox ugni.Mailbox
}

// credentials let the ranks of a job use the network together.
type credentials struct {
	Tag    uint8
	Cookie uint32
	Secret []byte `json:",omitempty"` // of rank 0: who connects must know it
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
	for rank := range w.peers {
		if pairs.Connect(w.rank, rank) {
			p := &peer{Peer: rma.Peer{Rank: rank}}
			w.peers[rank], w.all = p, append(w.all, p)
			w.Add(&p.Peer)
		}
	}
	lib, err := ugni.Load(set.library)
	if err != nil {
		err = explainLoad(err)
	}
	if err = w.connectAll(ctx, job, lib, err); err != nil {
		w.abandon()
		return nil, c, err
	}
	w.limits.MemoryPerPair = 2 * int64(set.mailbox+64) * int64(set.credits)
	c.InForce = map[string]string{
		"library":   fmt.Sprintf("%s, uGNI %s, %s", lib.File, lib.Version, lib.Device),
		"mailbox":   fmt.Sprint(set.mailbox),
		"credits":   fmt.Sprint(set.credits),
		"events":    fmt.Sprint(set.events),
		"reg_cache": fmt.Sprint(w.Stats().Limit),
	}
	if lib.Emulated {
		c.InForce["library"] += ", emulated"
		c.Warnings = append(c.Warnings, "The library "+lib.File+" is an emulator of uGNI: its times say nothing about a Cray network.")
	}
	return w, c, nil
}

// connectAll opens the NIC and connects with all peers, or with connect=lazy with none yet. failed
// is the reason why this rank cannot take part, or nil.
func (w *wire) connectAll(ctx context.Context, job device.Job, lib ugni.Library, failed error) error {
	var mine endpoint
	if failed == nil {
		mine.Job, failed = jobCredentials(w.set.device, lib.Emulated)
	}
	if w.rank == 0 {
		secret := contact.NewSecret()
		mine.Job.Secret = secret[:]
	}
	all, err := device.Agree(ctx, job, endpointVersion, mine, failed)
	if err != nil {
		return err
	}
	if len(all[0].Job.Secret) != contact.SecretSize {
		return &device.ProtocolError{Rank: 0, Detail: "it gave no secret for the job"}
	}
	w.secret = contact.Secret(all[0].Job.Secret)
	own := mine.Job
	if lib.Emulated && own.Cookie == 0 {
		t := w.secret.Token(0, 0, 0)
		own.Cookie = binary.LittleEndian.Uint32(t[:]) // for this job alone
	}
	for rank, e := range all {
		if e.Job.Cookie != mine.Job.Cookie {
			failed = &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("its PMI_GNI_COOKIE is %d, that of this rank is %d", e.Job.Cookie, mine.Job.Cookie)}
		}
	}
	if failed == nil {
		mine, failed = w.openNIC(own)
	}
	all, err = device.Agree(ctx, job, endpointVersion, mine, failed)
	if err != nil {
		return err
	}
	if failed = w.check(all); failed == nil && !w.set.lazy {
		failed = w.connectPeers()
	} else if failed == nil {
		w.listen()
	}
	// No rank sends before all can receive.
	_, err = device.Agree(ctx, job, endpointVersion, endpoint{}, failed)
	return err
}

// jobCredentials reads the credentials that ALPS, or PMI under Slurm, has put into the environment,
// where lists separated by colons have an entry for each NIC. With the emulator they may be
// missing.
func jobCredentials(nic int, emulated bool) (credentials, error) {
	var c credentials
	for _, v := range []struct {
		name  string
		bits  int
		store func(uint64)
	}{
		{"PMI_GNI_PTAG", 8, func(n uint64) { c.Tag = uint8(n) }},
		{"PMI_GNI_COOKIE", 32, func(n uint64) { c.Cookie = uint32(n) }},
	} {
		text, ok := os.LookupEnv(v.name)
		if !ok && emulated {
			continue
		}
		if !ok {
			return c, &device.UnavailableError{Transport: name, Reason: v.name + " is not set, and a job needs it to use the network", Remedy: "start the ranks by aprun or srun"}
		}
		list := strings.Split(text, ":")
		n, err := strconv.ParseUint(strings.TrimSpace(list[min(nic, len(list)-1)]), 0, v.bits)
		if err != nil {
			return c, fmt.Errorf("%s is %q, want numbers of %d bits separated by colons", v.name, text, v.bits)
		}
		v.store(n)
	}
	return c, nil
}

// openNIC opens the NIC and describes this rank.
func (w *wire) openNIC(job credentials) (endpoint, error) {
	s := &w.set
	// The library accepts a message while the peer has credits, and a put or get while there are
	// free places, which bounds the outstanding completions.
	config := ugni.Config{Rank: w.rank, Ranks: len(w.peers), Tag: job.Tag, Cookie: job.Cookie, Device: s.device,
		Credits: s.credits, Mailbox: s.mailbox, Buffers: max(64, min(1024, s.credits*max(1, len(w.all)))), Posts: s.posts, Events: s.events, Blocking: s.blocking}
	nic, err := ugni.Open(config)
	if err != nil {
		return endpoint{}, fmt.Errorf("opening NIC %d: %w", s.device, err)
	}
	w.nic = nic
	if err := w.Cache(name, s.regCache); err != nil {
		return endpoint{}, err
	}
	if err := w.prepare(); err != nil {
		return endpoint{}, err
	}
	return endpoint{Process: device.Process(), Shape: w.shape(), Address: nic.Address(), Mailbox: nic.Mailbox(0)}, nil
}

// shape describes the configuration that must be equal on all ranks.
func (w *wire) shape() string {
	return fmt.Sprintf("%d credits, messages of %d bytes, lazy %v", w.set.credits, w.set.mailbox, w.set.lazy)
}

// check compares the endpoints of all ranks and stores the mailboxes of peers.
func (w *wire) check(all []endpoint) error {
	w.limits.Goroutines = len(w.all) > 0
	for _, p := range w.all {
		e := all[p.Rank]
		if e.Shape != w.shape() {
			return &device.ProtocolError{Rank: p.Rank, Detail: fmt.Sprintf("it has %s, this rank has %s", e.Shape, w.shape())}
		}
		w.limits.Goroutines = w.limits.Goroutines && e.Process == device.Process()
		p.address, p.mailbox = e.Address, e.Mailbox
		p.mailbox.Offset = uint32(w.rank) * e.Mailbox.Size
	}
	return nil
}

// connectPeers connects with all peers.
func (w *wire) connectPeers() error {
	for _, p := range w.all {
		err := w.nic.Bind(p.Rank, p.address)
		if err == nil {
			err = w.nic.Connect(p.Rank, p.mailbox)
		}
		if err != nil {
			return &device.PeerError{Rank: p.Rank, Cause: "connecting: " + err.Error()}
		}
		p.connected = true
	}
	return nil
}
