package protocol

import (
	"fmt"
	"slices"
	"strings"

	"gobench/device"
)

// Options are the settings every transport over this protocol has; a driver
// appends them to its own.
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

// Config is what a driver knows when it opens a wire.
type Config struct {
	Transport  string // driver name, for Info
	Rank, Size int
	LocalSize  int // ranks on this host
	Options    device.Options
	InForce    map[string]string // what the wire made of its own options, for Info; may be nil
}

// settings are Config and Limits made into numbers; constant once made.
type settings struct {
	eagerLimit int
	farLimit   int    // the same for far peers; at most eagerLimit
	ranger     Ranger // nil if no peer is far
	budget     uint32 // units of eager memory for each peer
	announced  int    // most sends to a peer that it has not matched
	packet     int    // most data of a packet
	fragment   int
	rndv       string
	method     func(int) Method
	farMethod  func(int) Method
	crowd      func(int) Method // nil if it makes no difference
	policy     waitPolicy
	info       device.Info
}

func (c Config) settings(w Wire) (settings, error) {
	limits := w.Limits()
	s := settings{
		announced: mostAnnounced,
		packet:    limits.Packet,
		fragment:  limits.Fragment,
		rndv:      c.Options.Word("rndv"),
		policy:    newWaitPolicy(c.Options.Word("wait"), c.LocalSize, limits.Goroutines),
	}
	if s.fragment <= 0 || s.fragment > s.packet {
		s.fragment = s.packet
	}
	if n := c.Options.Bytes("fragment"); n >= 0 {
		s.fragment = min(max(n, 64), s.packet)
	}
	s.ranger, _ = w.(Ranger)
	s.eagerLimit = c.Options.Bytes("eager_limit")
	s.farLimit = s.eagerLimit
	if s.eagerLimit < 0 {
		s.eagerLimit, s.farLimit = limits.EagerLimit, limits.EagerLimit
		if s.ranger != nil {
			s.farLimit = limits.FarEagerLimit
		}
	}
	budget := c.Options.Bytes("eager_budget")
	if budget < 0 {
		budget = min(16<<20, jobBudget/c.Size)
	}
	s.budget = budgetUnits(budget / max(1, c.Size-1))
	// A message dearer than the whole budget could never be sent eagerly.
	s.eagerLimit = min(s.eagerLimit, largestEager(s.budget))
	s.farLimit = min(s.farLimit, s.eagerLimit)

	s.method = func(int) Method { return Pipeline }
	if limits.Method != nil {
		s.method = limits.Method
	}
	s.farMethod = s.method
	if limits.FarMethod != nil {
		s.farMethod = limits.FarMethod
	}
	s.crowd = limits.CrowdMethod
	if s.rndv != "auto" {
		m := Method(slices.Index(methodNames[:], s.rndv))
		if m != Pipeline && !slices.Contains(limits.Methods, m) {
			can := []string{Pipeline.String()}
			for _, m := range limits.Methods {
				can = append(can, m.String())
			}
			return s, &device.ValueError{Option: "rndv", Value: s.rndv,
				Want: fmt.Sprintf("what transport %s can do here: %s", c.Transport, strings.Join(can, ", "))}
		}
		s.method = func(int) Method { return m }
		s.farMethod, s.crowd = s.method, nil
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
		Path: func(size int) string {
			partner := (c.Rank + max(1, c.Size/2)) % c.Size
			if s.eager(partner, size) {
				return "eager"
			}
			m := s.methodTo(partner, size)
			if m == Pipeline {
				return "rndv-pipeline"
			}
			return "rndv-" + m.String() + "-" + limits.Copy
		},
	}
}

// jobBudget is what all ranks of a job together may hold, where that is left to us.
const jobBudget = 256 << 20

// far reports whether packets to a peer are slow.
func (s *settings) far(peer int) bool { return s.ranger != nil && s.ranger.Far(peer) }

// eager reports whether a message of size bytes to a peer is small enough to
// go without asking.
func (s *settings) eager(peer, size int) bool {
	return size <= s.farLimit || size <= s.eagerLimit && !s.far(peer)
}

// methodTo is how a larger one goes.
func (s *settings) methodTo(peer, size int) Method {
	if s.far(peer) {
		return s.farMethod(size)
	}
	return s.method(size)
}
