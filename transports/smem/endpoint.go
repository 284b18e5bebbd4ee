package smem

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gobench/device"
)

// An endpoint describes a rank to the others before they share memory.
type endpoint struct {
	Version  uint64 `json:"version"` // of the layout of segments
	PID      int    `json:"pid"`
	Boot     string `json:"boot"`      // this run of this host's kernel
	PIDSpace string `json:"pid_space"` // the namespace that PID is of
	Geometry uint64 `json:"geometry"`
	Hub      uint64 `json:"hub"`     // address of a hub in this process
	Crowded  bool   `json:"crowded"` // ranks outnumber the processors that this one sees

	// Of the segment, in the second round.
	FD      int    `json:"fd"`
	Bell    int    `json:"bell"` // the descriptor of the pipe that wakes it, -1 if there is none
	Nonce   uint64 `json:"nonce"`
	Address uint64 `json:"address"` // where its owner has it mapped

	// Of the whole opening, in the last round.
	CMA   string `json:"cma,omitempty"`   // why cross memory attach does not work, "" if it does
	Error string `json:"error,omitempty"` // why this rank gives up
}

// newEndpoint describes this process.
func newEndpoint(l layout) (endpoint, error) {
	c := endpoint{Version: magic, PID: os.Getpid(), Geometry: l.geometry(), FD: -1, Bell: -1}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return c, err
	}
	c.Boot = strings.TrimSpace(string(boot))
	c.PIDSpace, err = os.Readlink("/proc/self/ns/pid")
	return c, err
}

// exchangeEndpoints gives every rank the endpoints of all ranks. If a rank has failed, all fail with
// the reason of the lowest.
func exchangeEndpoints(ctx context.Context, job device.Job, own endpoint) ([]endpoint, error) {
	endpoints, err := device.Exchange(ctx, job, own)
	if err != nil {
		return nil, err
	}
	for rank, c := range endpoints {
		if c.Error != "" {
			return nil, &device.UnavailableError{Transport: Name, Reason: fmt.Sprintf("rank %d: %s", rank, c.Error)}
		}
	}
	return endpoints, nil
}

// checkCompatible refuses a group whose ranks cannot share memory with one of them.
func checkCompatible(endpoints []endpoint, group []int, own int) error {
	mine := endpoints[own]
	for _, rank := range group {
		c := endpoints[rank]
		reason, remedy := "", ""
		switch {
		case c.Version != mine.Version:
			reason = fmt.Sprintf("ranks %d and %d run different versions of gobench", own, rank)
		case c.Boot != mine.Boot:
			reason = fmt.Sprintf("ranks %d and %d run on different hosts", own, rank)
			remedy = "start all ranks on one host or use --transport=tcp"
		case c.PIDSpace != mine.PIDSpace:
			reason = fmt.Sprintf("ranks %d and %d run in different containers", own, rank)
			remedy = "share the PID namespace or use --transport=tcp"
		case c.Geometry != mine.Geometry:
			reason = fmt.Sprintf("ranks %d and %d were given different values of ring_bytes", own, rank)
		default:
			continue
		}
		return &device.UnavailableError{Transport: Name, Reason: reason, Remedy: remedy}
	}
	return nil
}
