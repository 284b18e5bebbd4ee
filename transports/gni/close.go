//go:build gni && cgo

package gni

import (
	"fmt"
	"strings"
	"time"

	"gobench/transports/gni/ugni"
)

// drainBound limits the time for which Close waits until the last messages have left.
const drainBound = 2 * time.Second

// Close implements protocol.Wire. It waits until the NIC has delivered all messages, up to the
// goodbye.
func (w *wire) Close() error {
	var late []string
	for start := time.Now(); ; {
		late = late[:0]
		for _, p := range w.all {
			if !p.Failed && p.connected && w.nic.Busy(p.Rank) > 0 {
				late = append(late, fmt.Sprint(p.Rank))
			}
		}
		if len(late) == 0 || time.Since(start) > drainBound || !w.drain() {
			break
		}
	}
	w.abandon()
	if len(late) > 0 {
		return fmt.Errorf("closing gni: the last messages to rank %s did not arrive within %v", strings.Join(late, ", "), drainBound)
	}
	return nil
}

// drain polls for outstanding completions. It drops packets.
func (w *wire) drain() bool {
	events, err := w.nic.Poll(1)
	for i := range events {
		if p := w.peers[events[i].Peer]; events[i].Kind == ugni.Broken && p != nil {
			p.Failed = true
		}
	}
	return err == nil
}

// abandon frees everything without waiting.
func (w *wire) abandon() {
	if w.nic == nil {
		return
	}
	w.Table.Close()
	w.nic.Close()
	w.nic = nil
}
