package record

import (
	"bytes"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestBenchfmtIsReadBack(t *testing.T) {
	tcp := samplePoint()
	tcp.Transport, tcp.Path = "tcp", ""
	tcp.Algorithm, tcp.InPlace, tcp.Groups, tcp.MTU = "ring", true, 2, 9000
	tcp.Options = map[string]string{"copy": "auto", "OMP NUM:THREADS": "4"}
	command := samplePoint()
	command.Bench = "sleep 0.1"
	var out bytes.Buffer
	if err := WriteBenchfmt(&out, []Point{*samplePoint(), *tcp, *command}); err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(&out, "test")
	var transports []string
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			transports = append(transports, rec.GetConfig("transport"))
			for key, want := range map[string]string{"algorithm": "ring", "in_place": "true", "groups": "2", "mtu_b": "9000", "option-omp_num_threads": "4"} {
				if got := rec.GetConfig(key); (got == want) != (len(transports) == 2) {
					t.Errorf("%s of point %d is %q", key, len(transports), got)
				}
			}
			if got := rec.Name.String(); got != []string{"pingpong", "pingpong", "sleep_0.1"}[len(transports)-1]+"/size=1024/ranks=2" {
				t.Errorf("name %q", got)
			}
			half, ok := rec.Value("half_rtt-sec/op")
			if want := samplePoint().Metrics.Median("half_rtt_s"); !ok || half != want {
				t.Errorf("half_rtt is %v, want %v", half, want)
			}
			if _, ok := rec.Value("bandwidth-B/sec"); !ok {
				t.Error("no bandwidth")
			}
			if got := rec.GetConfig("option-copy"); got != "auto" {
				t.Errorf("option copy is %q", got)
			}
		}
	}
	if r.Err() != nil || len(transports) != 3 || transports[0] != "smem" || transports[1] != "tcp" {
		t.Errorf("transports %q, error %v", transports, r.Err())
	}
	units := r.Units()
	if units.GetBetter("half_rtt-sec/op") != -1 || units.GetBetter("bandwidth-B/sec") != 1 {
		t.Error("the directions are lost")
	}
}
