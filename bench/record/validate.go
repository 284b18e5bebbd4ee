package record

import (
	"fmt"
	"math"
	"slices"
)

// Validate checks the invariants of a point, and returns an *InvalidError for
// the first one broken. The Writer writes no point that breaks one, the
// Reader returns none.
func (p *Point) Validate() error {
	bad := func(field, format string, args ...any) error {
		return &InvalidError{Cell: p.cell(), Field: field, Rule: fmt.Sprintf(format, args...)}
	}
	for _, f := range []struct{ name, value string }{
		{"run", p.Run}, {"bench", p.Bench}, {"transport", p.Transport}, {"level", p.Level}, {"rank_kind", p.RankKind},
	} {
		if f.value == "" {
			return bad(f.name, "must be given")
		}
	}
	if p.Time.IsZero() {
		return bad("time", "must be given")
	}
	for _, f := range []struct {
		name       string
		value, min int64
	}{
		{"size_B", p.Size, 0}, {"ranks", int64(p.Ranks), 1}, {"window", int64(p.Window), 0},
		{"batched", int64(p.Batched), 0}, {"amount_B", p.Amount, 0},
		{"launch", int64(p.Launch), 0}, {"block", int64(p.Block), 0}, {"round", int64(p.Round), 0}, {"launches", int64(p.Launches), 0},
		{"iterations", p.Iterations, 1}, {"warmup_dropped", p.WarmupDropped, 0},
		{"checked", p.Checked, 0}, {"invalid", p.Invalid, 0}, {"groups", int64(p.Groups), 0}, {"memory_per_pair_B", p.MemoryPerPair, 0},
	} {
		if f.value < f.min {
			return bad(f.name, "is %d, must be at least %d", f.value, f.min)
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"precision", p.Precision}, {"duration_s", p.Duration}, {"clock_cost_s", p.ClockCost},
		{"distance_before_s", p.DistanceBefore}, {"distance_after_s", p.DistanceAfter},
		{"distance_least_s", p.DistanceLeast}, {"distance_most_s", p.DistanceMost}, {"clock_error_s", p.ClockError},
		{"state_distance_s", p.StateDistance}, {"state_share", p.StateShare}, {"steal", p.Steal}, {"loop_s", p.Loop}, {"interval_floor_s", p.Floor},
	} {
		if !(f.value >= 0) || math.IsInf(f.value, 0) {
			return bad(f.name, "is %v, must be a positive number", f.value)
		}
	}
	for _, f := range []struct {
		name, value string
		of          []string
	}{
		{"level", p.Level, []string{"raw", "device", "comm"}},
		{"rank_kind", p.RankKind, []string{"process", "goroutine"}},
		{"cache", p.Cache, []string{"", "warm", "cold"}},
		{"memory", p.Memory, []string{"", "heap", "device"}},
		{"sampling", p.Sampling, []string{"", "exact", "hdr"}},
		{"start", p.Start, []string{"", "barrier", "time", "none"}},
		{"clock_sync", p.ClockSync, []string{"", "shared", "hca3"}},
		{"check", p.Check, []string{"", "strict"}},
		{"stopped", p.Stopped, []string{"", "precise", "budget", "limit", "interrupted"}},
	} {
		if !slices.Contains(f.of, f.value) {
			return bad(f.name, "is %q, must be one of %q", f.value, f.of)
		}
	}
	if len(p.Cores) != 0 && len(p.Cores) != p.Ranks*max(1, p.Groups) {
		return bad("cores", "has %d entries for %d ranks", len(p.Cores), p.Ranks)
	}
	for _, core := range p.Cores {
		if core < -1 {
			return bad("cores", "core %d does not exist; -1 means not pinned", core)
		}
	}
	if len(p.Metrics) == 0 {
		return bad("metrics", "a point has at least one metric")
	}
	for key, v := range p.Metrics {
		m, ok := Lookup(key)
		if !ok || m.Key != key {
			return bad(key, "no such metric in the catalogue")
		}
		if rule := v.check(p.Batched > 1 || !m.Time(), m.Unit == "1"); rule != "" {
			return bad(key, "%s", rule)
		}
	}
	if field, rule := p.checkBandwidth(); rule != "" {
		return bad(field, "%s", rule)
	}
	return nil
}

// cell names the point for messages.
func (p *Point) cell() string {
	return fmt.Sprintf("%s %s %s %d B", p.Bench, p.Transport, p.Level, p.Size)
}
