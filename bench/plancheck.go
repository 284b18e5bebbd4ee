package bench

import (
	"fmt"
	"slices"
	"strings"
)

// checkEvents returns a *PlanError for a way to run events that does not exist.
func (p Plan) checkEvents() error {
	unknown := func(what, value string, known ...string) error {
		return &PlanError{fmt.Sprintf("%s %q is unknown; available: %s", what, value, strings.Join(known, ", "))}
	}
	if p.Start != StartAuto && !slices.Contains(Starts(), string(p.Start)) {
		return unknown("start", string(p.Start), Starts()...)
	}
	if p.Sync != SyncAuto && p.Sync != SyncShared && p.Sync != SyncHCA3 {
		return unknown("sync", string(p.Sync), string(SyncShared), string(SyncHCA3))
	}
	if k := p.Skew.Kind; k != SkewNone && k != SkewRandom && k != SkewLate {
		return unknown("skew", string(k), string(SkewRandom), string(SkewLate))
	}
	if p.Skew.By < 0 {
		return &PlanError{fmt.Sprintf("a rank cannot be late by %v", p.Skew.By)}
	}
	if p.Skew.Kind != SkewNone && p.Batch > 1 {
		return &PlanError{fmt.Sprintf("ranks are late for the first of %d events that are timed together, and the others hide it: leave the batch out, or the skew", p.Batch)}
	}
	if p.Batch < 0 || p.Batch > maxBatch {
		return &PlanError{fmt.Sprintf("%d events cannot be timed together: choose 1 to %d, or 0 for the number that goes with the cell", p.Batch, maxBatch)}
	}
	return nil
}
