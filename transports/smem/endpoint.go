package smem

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/remedy"
)

// An endpoint describes a rank to the others when they open the transport. Each round of exchanges
// has its own fields, because every field costs every rank time for every other rank.
type endpoint struct {
	PID      int    `json:"-"`                   // as Nonce and Address, in binary: they differ from rank to rank
	Version  uint64 `json:"version,omitempty"`   // of the layout of segments
	Boot     string `json:"boot,omitempty"`      // this run of this host's kernel
	PIDSpace string `json:"pid_space,omitempty"` // the namespace that PID is of
	Geometry uint64 `json:"geometry,omitempty"`
	Hub      uint64 `json:"-"`                 // address of a hub in this process, in binary, too
	Crowded  bool   `json:"crowded,omitempty"` // ranks outnumber the processors that this one sees
	Sleeps   bool   `json:"sleeps,omitempty"`  // this rank may sleep until a packet wakes it
	Bell     *int   `json:"bell,omitempty"`    // the descriptor of the pipe that wakes it, if it has one
	File     *file  `json:"file,omitempty"`    // of the group, from its lowest rank

	// Set in the second round, for the segment.
	Nonce   uint64 `json:"-"`
	Address uint64 `json:"-"`               // where its owner has it mapped
	Fence   string `json:"fence,omitempty"` // why this rank cannot open descriptors of others, "" if it can

	// Set in the last round.
	CMA string `json:"cma,omitempty"` // why cross memory attach does not work, "" if it does

	Error string `json:"error,omitempty"` // why this rank gives up, in any round
}

// A file holds the segments of a group of processes, in the order of their ranks.
type file struct {
	FD    int    `json:"fd"`             // in the process of the lowest
	Path  string `json:"path,omitempty"` // in place of FD, if ranks are fenced off
	Nonce uint64 `json:"nonce"`          // in the segment of the lowest
}

// newEndpoint describes this process.
func newEndpoint(l layout) (endpoint, error) {
	c := endpoint{Version: magic, PID: os.Getpid(), Geometry: l.geometry()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return c, err
	}
	c.Boot = strings.TrimSpace(string(boot))
	c.PIDSpace, err = os.Readlink("/proc/self/ns/pid")
	return c, err
}

// Each exchange is also a barrier: a rank that has returned from it knows that all others have done
// their part of the round, or that all give up.
//
// exchangeEndpoints returns the endpoints of all ranks. If a rank has failed, all fail with the
// reason of the lowest failed rank.
func exchangeEndpoints(ctx context.Context, job device.Job, own endpoint) ([]endpoint, error) {
	endpoints, numbers, err := device.ExchangeNumbers(ctx, job, own, uint64(own.PID), own.Hub, own.Nonce, own.Address)
	if err != nil {
		return nil, err
	}
	for rank, c := range endpoints {
		e, n := &endpoints[rank], numbers[4*rank:]
		e.PID, e.Hub, e.Nonce, e.Address = int(n[0]), n[1], n[2], n[3]
		if c.Error != "" {
			return nil, &device.UnavailableError{Transport: Name, Reason: fmt.Sprintf("rank %d: %s", rank, c.Error)}
		}
	}
	return endpoints, nil
}

// checkGroups returns an error for a group whose ranks cannot share memory; the group of rank is
// checked first.
func checkGroups(endpoints []endpoint, rank int, pairs protocol.Pairs) error {
	seen := make([]bool, len(endpoints)) // in a group that is checked
	for _, one := range append([]int{rank}, allRanks(len(endpoints))...) {
		if seen[one] {
			continue
		}
		group := groupOf(one, len(endpoints), pairs)
		if err := checkCompatible(endpoints, group, one); err != nil {
			return err
		}
		for _, member := range group {
			seen[member] = true
		}
	}
	return nil
}

// Ranks can share memory if they run the same layout on the same kernel, see the same process
// numbers, and have the same geometry. The checks are in this order, because each explains the
// later ones.
//
// checkCompatible returns an error if a rank of the group cannot share memory with rank own.
func checkCompatible(endpoints []endpoint, group []int, own int) error {
	mine := endpoints[own]
	for _, rank := range group {
		c := endpoints[rank]
		reason, do := "", ""
		switch {
		case c.Version != mine.Version:
			reason = fmt.Sprintf("ranks %d and %d run different versions of gobench", own, rank)
		case c.Boot != mine.Boot:
			reason = fmt.Sprintf("ranks %d and %d run on different hosts", own, rank)
			do = fmt.Sprintf("start all ranks on one host or use %v", remedy.Set("transport", "tcp"))
		case c.PIDSpace != mine.PIDSpace:
			reason = fmt.Sprintf("ranks %d and %d run in different containers", own, rank)
			do = fmt.Sprintf("share the PID namespace or use %v", remedy.Set("transport", "tcp"))
		case c.Geometry != mine.Geometry:
			reason = fmt.Sprintf("ranks %d and %d were given different values of ring_bytes", own, rank)
		default:
			continue
		}
		return &device.UnavailableError{Transport: Name, Reason: reason, Remedy: do}
	}
	return nil
}
