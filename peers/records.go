package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// records appends rows of JSON Lines as they are measured. The first error is kept and returned by
// close; measuring continues without the file.
type records struct {
	file *os.File
	err  error
}

func openRecords(path string) (*records, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &records{file: f}, nil
}

func (r *records) write(row any) {
	b, err := json.Marshal(row)
	if err == nil {
		_, err = r.file.Write(append(b, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

func (r *records) point(p program, round, attempt int, cores [2]int, x point, near bool) {
	r.write(map[string]any{
		"kind": "peer", "time": time.Now().UTC(), "program": p.name, "transport": p.group,
		"round": round, "attempt": attempt, "cores": cores, "size_B": x.size, "path": x.path,
		"half_rtt_s": x.halfRTT, "samples": x.samples, "batched": x.together, "distance_before_s": x.before, "distance_after_s": x.after, "near": near,
	})
}

func (r *records) coll(p collProgram, round, attempt int, cores []int, before, after float64, s state, x collPoint) {
	r.write(map[string]any{
		"kind": "peer_coll", "time": time.Now().UTC(), "program": p.name, "transport": p.group, "round": round, "attempt": attempt,
		"cores": cores, "bench": x.op, "size_B": x.size, "batched": x.batch(p.group), "algorithm": x.algorithm, "global_s": x.global, "samples": x.samples,
		"farthest_before_s": before, "farthest_after_s": after, "state": s.String(),
	})
}

func (r *records) close() error {
	if err := r.file.Close(); r.err == nil && err != nil {
		r.err = err
	}
	return r.err
}
