package importer

import (
	"encoding/json"
	"math"
	"strings"
)

// isPerftestJSON reports whether an object is the file that perftest writes with --out_json, of the
// last size.
func isPerftestJSON(fields map[string]json.RawMessage) bool {
	return fields["test_info"] != nil && fields["results"] != nil
}

// perftestTest matches "RDMA_Write_Bidirectional_Post_List_BW_Test" and
// "Atomic_FETCH_AND_ADD_Latency_Test".
var perftestTest = match(`^(Send_imm|Send|RDMA_Write_imm|RDMA_Write|RDMA_Read|Atomic)_(.*?)(Latency|BW)_`)

// perftestFields maps the fields of the results to the columns of the table.
var perftestFields = map[string]string{
	"MsgSize": "#bytes", "n_iterations": "#iterations", "MsgRate": "MsgRate[Mpps]",
	"t_min": "t_min[usec]", "t_max": "t_max[usec]", "t_typical": "t_typical[usec]", "t_avg": "t_avg[usec]",
	"percentile_99": "99%_percentile[usec]", "percentile_99.9": "99.9%_percentile[usec]",
}

// importPerftestJSON reads the result of the file, as importPerftest reads its table. The file does
// not state the unit of the bandwidth, which is MiB/s, or Gb/s with --report_gbits: it follows from
// the rate of messages and their size.
func importPerftestJSON(l *log) error {
	var file struct {
		Info    map[string]any `json:"test_info"`
		Results map[string]json.RawMessage
	}
	if err := l.object(&file); err != nil {
		return l.leaveOut("%v", err)
	}
	test, _ := file.Info["test"].(string)
	m := perftestTest.FindStringSubmatch(test)
	if m == nil {
		return l.leaveOut("%q is not a test of perftest that is known", test)
	}
	t := perftest{log: l, operation: m[1], kind: m[3], both: strings.Contains(m[2], "Bidirectional")}
	t.observe(m[2]) // the atomic operation
	t.facts.QPs = jsonCount(file.Info["Number_of_qps"])
	t.facts.Window, t.facts.MTU = jsonCount(file.Info["TX_depth"]), jsonCount(file.Info["Mtu"])
	t.facts.Service, _ = file.Info["Connection_type"].(string)
	for field, kind := range map[string]string{"cuda_device": "cuda", "Use_ROCm_memory": "rocm", "Use_MUSA_memory": "musa"} {
		if value := file.Info[field]; value == "ON" || field == "cuda_device" && value != nil {
			t.log.facts.accelerator = kind
		}
	}
	r := row{}
	for field, column := range perftestFields {
		if x, ok := parse(string(file.Results[field])); ok {
			r[column] = x
		}
	}
	if _, sized := r["#bytes"]; !sized {
		return l.leaveOut("the results do not state the size of the messages")
	}
	if bandwidth, ok := parse(string(file.Results["BW_average"])); ok && bandwidth.x > 0 {
		unit := perftestUnit(bandwidth, r)
		if unit == "" {
			return l.leaveOut("the unit of the bandwidth is not known: it does not match the rate of messages")
		}
		r["BW_average["+unit+"]"] = bandwidth
	}
	l.at = len(l.lines) - 1
	return t.row(r, nil)
}

// perftestUnit returns the unit of a bandwidth, "" if the rate of messages does not tell.
func perftestUnit(bandwidth number, r row) string {
	rate := r["MsgRate[Mpps]"].times(1e6 * r.value("#bytes"))
	binary, decimal := rate.agrees(bandwidth.times(1<<20)), rate.agrees(bandwidth.times(1e9/8))
	switch {
	case binary && !decimal:
		return "MiB/sec"
	case decimal && !binary:
		return "Gb/sec"
	}
	return ""
}

// jsonCount returns a whole number of JSON as an int, 0 if it is not one or too large.
func jsonCount(value any) int {
	x, _ := value.(float64)
	if !(x > 0 && x < 1<<31) || x != math.Trunc(x) {
		return 0
	}
	return int(x)
}
