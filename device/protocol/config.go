package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"gobench/device"
)

// Options returns the options of every transport over this protocol. A driver appends them to its
// own.
func Options() []device.Option {
	return []device.Option{
		{Name: "eager_limit", Kind: device.Bytes, Default: "auto",
			Help: "largest eager message, bytes"},
		{Name: "eager_budget", Kind: device.Bytes, Default: "auto",
			Help: "memory of one rank for unexpected messages, bytes; beyond it senders use a rendezvous, which takes 150 bytes for each message and at most 40 MiB for each sender; auto is 16MiB, less with more than 16 ranks"},
		{Name: "fragment", Kind: device.Bytes, Default: "auto",
			Help:   "bytes of one packet of a longer message; over smem, if the peer is known to have taken all earlier messages, one of less than four packets goes in packets of half the size or more",
			Search: &device.Search{Values: []string{"8K", "16K", "32K", "64K"}, Sizes: "64K,256K,1M", Memory: "heap"}},
		{Name: "rndv", Kind: device.Word, Default: "auto",
			Values: []string{"auto", Pipeline.String(), Get.String(), Put.String(), Split.String()},
			Help:   "how a message above eager_limit moves"},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield", "block"},
			Help: "spin keeps the processor while waiting; yield releases it at once; block sleeps in the kernel until an event; auto yields when ranks outnumber processors"},
	}
}

// A Config describes the rank and the options for which its wires were opened.
type Config struct {
	Transport  string // driver name, for Info
	Rank, Size int
	LocalSize  int // ranks on this host
	Processors int // that these may use together; 0 = those of this process
	Options    device.Options
	InForce    map[string]string // values in force of the wires' own options, for Info; may be nil
	Found      map[string]string // for Info, as are the next three; may be nil
	Route      string
	MTU        int
	Warnings   []string
	Job        device.Job // for the names of hosts in errors; may be nil

	// Parts lists further wires of the rank. The wire passed to New serves all other peers.
	Parts []Part
}

// NewConfig returns the Config of a rank, without InForce.
func NewConfig(transport string, job device.Job, opts device.Options) Config {
	return Config{Transport: transport, Rank: job.Rank(), Size: job.Size(), LocalSize: job.LocalSize(), Processors: device.Processors(job), Job: job, Options: opts}
}

// A Part is a wire for some of the peers.
type Part struct {
	Wire  Wire
	Peers []bool // by rank
}

// The eager budget is memory of the receiver, so each rank divides its own by the number of its
// peers, and both sides of a pair use the same number, because option and size of the job are the
// same on all ranks. Each wire of a rank has its own carrier, but a pair of ranks has one budget.
//
// settings are derived from Config and the Limits of all wires, and constant.
type settings struct {
	budget    uint32 // units of eager memory for each peer
	announced int    // maximum number of unmatched sends to a peer
	policy    waitPolicy
	info      device.Info
}

// settings returns the carriers of w and of the parts, and their common settings. The carriers are
// valid even if it returns an error.
func (c Config) settings(w Wire) ([]*carrier, settings, error) {
	wires := []Wire{w}
	for _, p := range c.Parts {
		wires = append(wires, p.Wire)
	}
	budget := c.Options.Bytes("eager_budget")
	if budget < 0 {
		budget = min(16<<20, jobBudget/c.Size)
	}
	s := settings{announced: maxAnnounced, budget: budgetUnits(budget / max(1, c.Size-1))}
	var carriers []*carrier
	quick, slow, goroutines := false, false, false
	for _, w := range wires {
		limits := w.Limits()
		carriers = append(carriers, &carrier{wire: w, limits: limits})
		quick, slow, goroutines = quick || limits.Quick, slow || !limits.Quick, goroutines || limits.Goroutines
	}
	s.policy = newWaitPolicy(c.Options.Word("wait"), c.LocalSize, cmp.Or(c.Processors, runtime.NumCPU()), goroutines)
	if s.policy.blocks && (!sleepOf(w).can() || len(wires) > 1) {
		return carriers, s, &device.ValueError{Option: "wait", Value: "block", Want: "auto, spin or yield: transport " + c.Transport + " has no event that wakes a rank"}
	}
	for _, k := range carriers {
		k.slow = quick && !k.limits.Quick
		if err := k.configure(c, s); err != nil {
			return carriers, s, err
		}
	}
	s.info = c.info(s, carriers)
	s.info.Quick = !slow
	if s.info.Ranks = "process"; goroutines {
		s.info.Ranks = "goroutine"
	}
	return carriers, s, nil
}

// carrierOf returns the carrier of the messages to and from a peer.
func (c Config) carrierOf(carriers []*carrier, peer int) *carrier {
	for i, p := range c.Parts {
		if p.Peers[peer] {
			return carriers[i+1]
		}
	}
	return carriers[0]
}

// info returns what the record says of the device. The path leads to the rank half a job away,
// which is on another host if the job has several.
func (c Config) info(s settings, carriers []*carrier) device.Info {
	inForce := c.Options.Map()
	maps.Copy(inForce, c.InForce)
	inForce["eager_limit"] = values(carriers, func(k *carrier) int { return k.eagerLimit })
	inForce["eager_budget"] = fmt.Sprint(int(s.budget) * unit * max(1, c.Size-1))
	inForce["fragment"] = values(carriers, func(k *carrier) int { return k.fragment })
	inForce["wait"] = s.policy.String()
	partner := (c.Rank + max(1, c.Size/2)) % c.Size
	k := c.carrierOf(carriers, partner)
	return device.Info{
		Transport:     c.Transport,
		Options:       inForce,
		Found:         c.Found,
		MemoryPerPair: k.limits.MemoryPerPair + 2*int64(s.budget)*unit,
		Route:         c.Route,
		MTU:           c.MTU,
		Warnings:      c.Warnings,
		Path: func(size int, t device.Traffic) string {
			return k.path(partner, size, Transfer{Alloced: t.Alloced, Both: t.Both, Stream: t.Stream})
		},
	}
}

// values returns the effective value of an option; values that differ between wires are joined by
// "+".
func values(carriers []*carrier, of func(*carrier) int) string {
	var list []string
	for _, k := range carriers {
		list = append(list, fmt.Sprint(of(k)))
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		return list[0]
	}
	return strings.Join(list, "+")
}

// jobBudget bounds the total eager memory of all ranks of a job for eager_budget=auto, in bytes.
const jobBudget = 256 << 20
