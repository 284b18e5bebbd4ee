package smem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"gobench/device"
	"gobench/internal/remedy"
	"gobench/internal/sharedmem"
)

// A rank that must not open the descriptors of another one is fenced off: each rank is in a user
// namespace of its own, as in containers without root, or /proc is hidden. The ranks of its group
// then share a file with a name. They reach no other memory of each other, neither ordinary memory
// nor that of Alloc, so all messages go through the rings. All ranks of a group are fenced if one
// is, because both sides of a transfer must agree on what can be reached; groups are independent of
// each other. Ranks that are fenced off cannot open each other's pipes either, so where there is
// another wire they poll instead of sleeping.

// fenceOf returns why the segments must be in a file with a name, "" if that would not help. It is
// the same text in all launches.
func fenceOf(err error) string {
	for _, reason := range []error{fs.ErrPermission, fs.ErrNotExist, sharedmem.ErrUnsealed} {
		if errors.Is(err, reason) {
			return fmt.Sprintf("opening another process: %v", reason)
		}
	}
	return ""
}

// openFenced opens the segments again for groups with a rank that is fenced off, and returns the
// endpoints of all ranks as the exchange before should have. It is collective over the job.
func (w *wire) openFenced(ctx context.Context, job device.Job, before []endpoint) ([]endpoint, error) {
	for _, rank := range w.group {
		if reason := before[rank].Fence; reason != "" {
			w.fenced = fmt.Sprintf("%s: %s", device.RankName(rank, device.HostName(job, rank)), reason)
			break
		}
	}
	var own endpoint
	leads := w.fenced != "" && w.group[0] == w.rank
	if w.fenced != "" {
		w.pipe.close() // peers cannot open it, so this rank does not sleep in it
		if err := w.drop(); err != nil {
			own.Error = err.Error()
		}
	}
	if leads && own.Error == "" {
		var err error
		if own.File, err = w.create(true); err != nil {
			own.Error = fmt.Sprintf("%s, and instead %v; use %v", w.fenced, err, remedy.Set("transport", "tcp"))
		}
	}
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return nil, err
	}
	own = endpoint{Nonce: before[w.rank].Nonce, Address: before[w.rank].Address}
	if w.fenced != "" {
		w.peers[w.group[0]].endpoint.File = endpoints[w.group[0]].File
		if err := w.join(); err != nil {
			own.Error = fmt.Sprintf("%s, and instead %v: share %s among the ranks, or use %v", w.fenced, err, sharedmem.Directory, remedy.Set("transport", "tcp"))
		} else {
			own.Nonce, own.Address = w.nonce, uint64(address(w.own.header))
		}
	}
	return exchangeEndpoints(ctx, job, own)
}

// fenceWarning returns the caveat for readers of results, none if no rank is fenced off.
func (w *wire) fenceWarning() []string {
	if w.fenced == "" {
		return nil
	}
	return []string{"messages are copied twice, through a file in " + sharedmem.Directory + ", because ranks cannot open each other's memory (" + w.fenced + ")"}
}
