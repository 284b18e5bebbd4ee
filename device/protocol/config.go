package protocol

import (
	"fmt"
	"slices"
	"strings"

	"gobench/device"
)

// Options returns the options of every transport over this protocol. A driver appends them to its own.
func Options() []device.Option {
	return []device.Option{
		{Name: "eager_limit", Kind: device.Bytes, Default: "auto",
			Help: "largest message sent without asking the receiver, bytes"},
		{Name: "eager_budget", Kind: device.Bytes, Default: "auto",
			Help: "memory of one rank for messages that no receive waits for, bytes; beyond it senders ask first, which takes 150 bytes for each message and at most 40 MiB for each sender; auto is 16MiB, less with more than 16 ranks"},
		{Name: "fragment", Kind: device.Bytes, Default: "auto",
			Help: "bytes of one packet of a longer message"},
		{Name: "rndv", Kind: device.Word, Default: "auto",
			Values: []string{"auto", Pipeline.String(), Get.String(), Put.String(), Split.String()},
			Help:   "how a message above eager_limit moves"},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield"},
			Help: "spin keeps the processor while waiting; yield gives it up at once; auto yields when ranks outnumber processors"},
	}
}

// A Config describes the rank and the options for which a wire was opened.
type Config struct {
	Transport  string // driver name, for Info
	Rank, Size int
	LocalSize  int // ranks on this host
	Options    device.Options
	InForce    map[string]string // values in force of the wire's own options, for Info; may be nil
	Route      string            // for Info, as are the next two
	MTU        int
	Warnings   []string
}

// settings are derived from Config and Limits, and constant.
type settings struct {
	eagerLimit int
	smallLimit int    // up to here the size alone decides: eager
	decides    Router // whether a message of up to eagerLimit is eager; nil: the size alone decides
	router     Router // of announced messages; nil: they go by method
	method     Method
	budget     uint32 // units of eager memory for each peer
	announced  int    // most sends to a peer that it has not matched
	packet     int    // most data of a packet
	fragment   int
	policy     waitPolicy
	info       device.Info
}

func (c Config) settings(w Wire) (settings, error) {
	limits := w.Limits()
	s := settings{
		announced: mostAnnounced,
		packet:    limits.Packet,
		fragment:  limits.Fragment,
		policy:    newWaitPolicy(c.Options.Word("wait"), c.LocalSize, limits.Goroutines),
	}
	if s.fragment <= 0 || s.fragment > s.packet {
		s.fragment = s.packet
	}
	if n := c.Options.Bytes("fragment"); n >= 0 {
		s.fragment = min(max(n, 64), s.packet)
	}
	s.router, _ = w.(Router)
	s.eagerLimit = c.Options.Bytes("eager_limit")
	if s.eagerLimit < 0 {
		s.eagerLimit, s.decides = limits.EagerLimit, s.router
	}
	budget := c.Options.Bytes("eager_budget")
	if budget < 0 {
		budget = min(16<<20, jobBudget/c.Size)
	}
	s.budget = budgetUnits(budget / max(1, c.Size-1))
	// A message that costs more than the whole budget could never be sent eagerly.
	s.eagerLimit = min(s.eagerLimit, largestEager(s.budget))
	s.smallLimit = s.eagerLimit
	if s.decides != nil {
		s.smallLimit = min(s.eagerLimit, alwaysEager)
	}
	if len(limits.Methods) > 0 {
		s.method = limits.Methods[0]
	}
	if rndv := c.Options.Word("rndv"); rndv != "auto" {
		m := Method(slices.Index(methodNames[:], rndv))
		if m != Pipeline && !slices.Contains(limits.Methods, m) {
			can := []string{Pipeline.String()}
			for _, m := range limits.Methods {
				can = append(can, m.String())
			}
			return s, &device.ValueError{Option: "rndv", Value: rndv,
				Want: fmt.Sprintf("what transport %s can do here: %s", c.Transport, strings.Join(can, ", "))}
		}
		s.router, s.method = nil, m
	}
	s.info = c.info(s, limits)
	return s, nil
}

func (c Config) info(s settings, limits Limits) device.Info {
	inForce := c.Options.Map()
	for name, value := range c.InForce {
		inForce[name] = value
	}
	inForce["eager_limit"] = fmt.Sprint(s.eagerLimit)
	inForce["eager_budget"] = fmt.Sprint(int(s.budget) * unit * max(1, c.Size-1))
	inForce["fragment"] = fmt.Sprint(s.fragment)
	inForce["wait"] = s.policy.String()
	ranks := "process"
	if limits.Goroutines {
		ranks = "goroutine"
	}
	return device.Info{
		Transport:     c.Transport,
		Options:       inForce,
		MemoryPerPair: limits.MemoryPerPair + 2*int64(s.budget)*unit,
		Ranks:         ranks,
		Quick:         limits.Quick,
		Route:         c.Route,
		MTU:           c.MTU,
		Warnings:      c.Warnings,
		Path: func(size int) string {
			partner := (c.Rank + max(1, c.Size/2)) % c.Size
			switch eager, m := s.eagerSize(partner, size, nil), s.route(partner, size, Transfer{}).Method; {
			case eager:
				return "eager"
			case m == Pipeline:
				return "rndv-pipeline"
			default:
				return "rndv-" + m.String() + "-" + limits.Copy
			}
		},
	}
}

// jobBudget bounds the eager memory of all ranks of a job together for eager_budget=auto, in bytes.
const jobBudget = 256 << 20

// alwaysEager is a size up to which messages are eager on every wire, in bytes.
const alwaysEager = 4 << 10

// eager reports whether a message to a peer is sent without asking the receiver.
func (s *settings) eager(peer int, buf []byte) bool {
	return len(buf) <= s.smallLimit || s.eagerSize(peer, len(buf), buf)
}

// eagerSize is eager for a message of size bytes whose buffer may be unknown.
func (s *settings) eagerSize(peer, size int, buf []byte) bool {
	if size > s.smallLimit && s.decides != nil && size <= s.eagerLimit {
		return s.decides.Route(peer, size, Transfer{Mine: buf}).Eager
	}
	return size <= s.smallLimit
}

// route returns the way of a message that is announced.
func (s *settings) route(peer, size int, t Transfer) Route {
	if s.router != nil {
		return s.router.Route(peer, size, t)
	}
	return Route{Key: s.method == Get || s.method == Split, Method: s.method}
}
