package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCSVIsTidy(t *testing.T) {
	odd := samplePoint()
	odd.Options = map[string]string{"bind": `a "quoted", name`}
	odd.Cores, odd.Path = nil, ""
	odd.Warnings = []string{"one", "two\nlines"}
	odd.Metrics = ValuesOf(map[string]Value{"t_s": {Median: 2.5e-7, N: 30}})
	var out bytes.Buffer
	if err := writeCSV(&out, []Point{*samplePoint(), *odd}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\r\n"); n != 4 {
		t.Errorf("%d line ends of RFC 4180, want 3 and the one inside a cell", n)
	}
	table, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(table) != 3 {
		t.Fatalf("%d rows, error %v", len(table), err)
	}
	at := func(row int, column string) string {
		i := slices.Index(table[0], column)
		if i < 0 {
			t.Fatalf("no column %s in %q", column, table[0])
		}
		return table[row][i]
	}
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{1, "bench", "pingpong"}, {1, "size_B", "1024"}, {1, "cores", "2 3"}, {1, "options", "copy=auto eager_limit=8192"},
		{1, "time", "2026-11-21T12:00:00Z"}, {1, "clock_cost_s", "2.6e-8"}, {1, "half_rtt_s_n", "200"},
		{1, "half_rtt_s_min", "5e-7"}, {1, "half_rtt_s_p999", ""}, {1, "t_s_median", ""}, {1, "warnings", "ranks are not pinned"},
		{2, "options", `bind=a "quoted", name`}, {2, "cores", ""}, {2, "path", ""}, {2, "t_s_median", "2.5e-7"},
		{2, "half_rtt_s_median", ""}, {2, "warnings", "one; two\nlines"},
	} {
		if got := at(c.row, c.column); got != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row, c.column, got, c.want)
		}
	}
}

// Scripts rely on the columns: a change here changes the format.
func TestCSVColumns(t *testing.T) {
	var out bytes.Buffer
	c, err := NewCSV(&out, []string{"bandwidth_Bps", "half_rtt_s"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(samplePoint()); err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(out.String(), "\r\n")
	want := "run,time,bench,library,transport,level,size_B,ranks,rank_kind,cores,path,options,found,mtu_B,placement,cache,buffers,memory,load,memory_kind,window,polls,batch,batched,amount_B,operation,service,qps,datatype,reduction,class,grid,steps,real,source,wavelength,io,threads,copies,baseline,algorithm,distribution,topology,root,by_table,in_place,start,arrival_skew,groups,check," +
		"launch,round,block,seed,sampling,iterations,warmup_dropped,precision,stopped,duration_s,clock_cost_s,interval_floor_s,clock_sync,clock_error_s,invalid,checked," +
		"memory_per_pair_B,reg_hits,reg_misses,reg_pinned_B,distance_before_s,distance_after_s,line_low_s,line_high_s,distance_least_s,distance_most_s,state_distance_s,state_share,loop_s,steal,cpu_user_s,cpu_system_s,switches,cpu_busy,interrupts,cycles,instructions,counters,launches,state,label,host,map,commit,library_version," +
		"half_rtt_s_median,half_rtt_s_lo,half_rtt_s_hi,half_rtt_s_confidence,half_rtt_s_n,half_rtt_s_n_eff,half_rtt_s_within,half_rtt_s_mean," +
		"half_rtt_s_min,half_rtt_s_p50,half_rtt_s_p90,half_rtt_s_p99,half_rtt_s_p99_lo,half_rtt_s_p99_hi,half_rtt_s_p999,half_rtt_s_max," +
		"bandwidth_Bps_median,bandwidth_Bps_lo,bandwidth_Bps_hi,bandwidth_Bps_confidence,bandwidth_Bps_n,bandwidth_Bps_n_eff,bandwidth_Bps_within,bandwidth_Bps_mean," +
		"route,method,warnings"
	if d := cmp.Diff(strings.Split(want, ","), strings.Split(header, ",")); d != "" {
		t.Error(d)
	}
	if _, err := NewCSV(&out, []string{"latency"}); err == nil {
		t.Error("an unknown metric is accepted")
	}
}

func TestCSVToAFullDisk(t *testing.T) {
	err := writeCSV(&countWriter{room: 10}, []Point{*samplePoint()})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
}

// A spreadsheet would evaluate cells that begin like a formula.
func TestCSVHasNoFormulas(t *testing.T) {
	p := samplePoint()
	p.Bench, p.Path, p.Transport = "=cmd|'/C calc'!A0", "+1+2", "@SUM(A1)"
	p.Options = map[string]string{"-a": "1"}
	p.Cores = []int{-1, -1}
	p.Library, p.Method = "\t=1+2", "\r=1+2"
	p.Class, p.Algorithm = "-5", "ring"
	p.Warnings = []string{"-2+3", "two"}
	var out bytes.Buffer
	if err := writeCSV(&out, []Point{*p}); err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(table) != 2 {
		t.Fatal(table, err)
	}
	for column, want := range map[string]string{
		"bench": "'=cmd|'/C calc'!A0", "path": "'+1+2", "transport": "'@SUM(A1)", "options": "'-a=1", "library": "'\t=1+2", "method": "'=1+2",
		"warnings": "'-2+3; two", "cores": "-1 -1", "class": "-5", "algorithm": "ring", "size_B": "1024",
	} {
		if got := table[1][slices.Index(table[0], column)]; got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
}

// writeCSV writes points with all metrics that any of them has.
func writeCSV(w io.Writer, points []Point) error {
	var keys []string
	for _, p := range points {
		keys = slices.AppendSeq(keys, p.Metrics.Keys())
	}
	c, err := NewCSV(w, keys)
	for _, p := range points {
		if err == nil {
			err = c.Write(&p)
		}
	}
	return err
}

// A measured zero is a value, not an empty cell.
func TestAZeroIsAValue(t *testing.T) {
	measured := Point{}
	measured.Metrics.Set("overlap_ratio", Value{N: 6})
	for want, p := range map[string]Point{"0": measured, "": {}} {
		var b bytes.Buffer
		c, err := NewCSV(&b, []string{"overlap_ratio"})
		if err == nil {
			err = c.Write(&p)
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		if got := rows[1][slices.Index(rows[0], "overlap_ratio_median")]; got != want {
			t.Errorf("a median of 0 is %q, want %q", got, want)
		}
	}
}
