package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// isNCCLJSON reports whether an object is the file that nccl-tests writes with -J.
func isNCCLJSON(fields map[string]json.RawMessage) bool {
	return fields["config"] != nil && fields["results"] != nil && fields["nccl_version"] != nil
}

var ncclProgram = match(`([a-z_]+)_perf\b`)

// ncclFile is the part of the JSON that is imported. Times are microseconds, bandwidths GB/s.
type ncclFile struct {
	Started string `json:"start_time"`
	Args    []string
	Version int `json:"nccl_version"`
	Config  struct {
		Threads    int `json:"nthreads"`
		GPUs       int `json:"ngpus"`
		Iterations int64
		Aggregated int64 `json:"aggregated_iterations"`
		Devices    []struct{ Rank int }
	}
	Results []map[string]json.RawMessage
}

// ncclFields lists the columns of the table by the fields of a result.
var ncclFields = []struct{ column, field string }{
	{"size", "size"}, {"count", "count"}, {"type", "type"}, {"redop", "redop"}, {"root", "root"},
}

// ncclHalves lists the columns of one half of the table by the fields of its objects, of which the
// second belong to -I.
var ncclHalves = []struct{ column, part, field string }{
	{"time", "", "time"}, {"algbw", "", "alg_bw"}, {"busbw", "", "bus_bw"}, {"#wrong", "", "nwrong"},
	{"i_min", "_per_iter", "min_us"}, {"i_max", "_per_iter", "max_us"}, {"i_p50", "_per_iter", "p50_us"}, {"i_p99", "_per_iter", "p99_us"},
	{"i_avg", "_per_iter", "avg_us"}, {"i_skipped", "_per_iter", "skipped_iterations"},
}

// importNCCLJSON reads the results of the file of a program of nccl-tests, as importNCCL reads its
// table.
func importNCCLJSON(l *log) error {
	var file ncclFile
	if err := l.object(&file); err != nil {
		return l.leaveOut("%v", err)
	}
	t := ncclTable{log: l, bench: l.given.Bench, ranks: map[int]bool{}, unit: 1e-6}
	if len(file.Args) > 0 {
		if m := ncclProgram.FindStringSubmatch(file.Args[0]); m != nil {
			t.bench, t.titled = m[1], true
		}
	}
	// Of the devices of a process the file lists the first.
	c := file.Config
	ranks := int64(len(c.Devices)) * int64(max(1, c.Threads)) * int64(max(1, c.GPUs))
	if len(c.Devices) > 1<<20 || c.Threads > 1<<10 || c.GPUs > 1<<10 || ranks > 1<<20 {
		return l.leaveOut("%d ranks are too many", ranks)
	}
	for rank := range int(ranks) {
		t.ranks[rank] = true
	}
	if c.Iterations > 0 && c.Iterations < math.MaxInt32 {
		t.events, t.aggregated = c.Iterations, c.Aggregated
		if c.Aggregated > 1 && c.Aggregated < math.MaxInt32/c.Iterations {
			t.events *= c.Aggregated
		}
	}
	if file.Version >= 20000 {
		set(&l.facts.library, "nccl", fmt.Sprintf("NCCL %d.%d.%d", file.Version/10000, file.Version/100%100, file.Version%100))
	}
	if when, err := time.Parse(time.DateTime, file.Started); err == nil {
		l.facts.when = when
	}
	for _, result := range file.Results {
		t.table++ // rows of -N cycles are measurements of their own
		if err := t.object(result); err != nil {
			return err
		}
	}
	return nil
}

// object reads a result as a row of the table.
func (t *ncclTable) object(result map[string]json.RawMessage) error {
	text := func(fields map[string]json.RawMessage, name string) string {
		value := strings.TrimSpace(strings.Trim(string(fields[name]), `"`))
		if value == "" || value == "null" {
			return "N/A"
		}
		return value
	}
	var words []string
	t.names = nil
	for _, f := range ncclFields {
		t.names, words = append(t.names, f.column), append(words, text(result, f.field))
	}
	for _, half := range []string{"out_of_place", "in_place"} {
		parts := map[string]map[string]json.RawMessage{}
		for _, part := range []string{"", "_per_iter"} {
			var fields map[string]json.RawMessage
			_ = json.Unmarshal(result[half+part], &fields) // null where it was not measured
			parts[part] = fields
		}
		time := "time"
		if parts[""]["cpu_time"] != nil {
			time = "cputime"
		}
		for _, f := range ncclHalves {
			if f.column == "time" {
				t.names, words = append(t.names, time), append(words, text(parts[""], strings.Replace(time, "cpu", "cpu_", 1)))
				continue
			}
			t.names, words = append(t.names, f.column), append(words, text(parts[f.part], f.field))
		}
	}
	return t.known(words)
}
