package pairwise

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"gobench/internal/netif"
	"gobench/pairs"
	_ "gobench/transports/tcp"
)

// realWorkers are workers of this process that measure.
func realWorkers(t *testing.T, o Options, names ...string) *Workers {
	t.Helper()
	if own, _, err := netif.Own(netif.Selection{}, "auto"); err != nil || len(own) == 0 {
		t.Skipf("SKIPPED: there is no network interface but loopback: %v", err)
	}
	w := newWorkers(o)
	for _, name := range names {
		here, there := net.Pipe()
		w.join(t.Context(), name, here)
		go Work(context.Background(), there)
	}
	t.Cleanup(w.Close)
	return w
}

// Two workers measure over TCP, look around, and reach each other; a load runs beside them.
func TestWorkersMeasure(t *testing.T) {
	o := Options{Transport: "tcp", Small: 5 * time.Millisecond, Large: 5 * time.Millisecond, Deadline: time.Minute}
	w := realWorkers(t, o, "a", "b", "c", "d")
	hosts := []pairs.Host{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	stop, err := w.startLoad(t.Context(), []string{"c", "d"}, Load{Pattern: "alltoall", Rate: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Batch(t.Context(), hosts, []pairs.Match{{A: 0, B: 1, Round: 3, Stage: pairs.Alone}})[0]
	stop()
	if r.Failed != "" || r.HalfRTT.N < minTrips || r.HalfRTT.Median <= 0 || r.Forth <= 0 || r.Back <= 0 || r.Both <= 0 || r.Round != 3 {
		t.Errorf("result %+v", r)
	}
	// The hosts of the load are free again.
	if r := w.Batch(t.Context(), hosts, []pairs.Match{{A: 2, B: 3}})[0]; r.Failed != "" {
		t.Errorf("after the load: %+v", r)
	}
	w.o.Interval = 100 * time.Microsecond
	r, points := w.among(t.Context(), []string{"a", "b", "c", "d"}, true)
	if r.Failed != "" || r.Allreduce.N != minTrips || r.Allreduce.Min <= 0 || len(points) != 1 || points[0].Ranks != 4 || len(points[0].Cores) != 4 || points[0].Algorithm == "" {
		t.Errorf("allreduce: %+v, points %+v", r, points)
	}
	facts, missing := w.Look(t.Context(), false, 1)
	if len(facts) != 4 || len(missing) != 0 || facts[0].Words["kernel"] == "" || facts[0].Numbers[pairs.NumberTime] != 0 {
		t.Errorf("facts %+v, missing %v", facts, missing)
	}
	reach, deaf := w.Reach(t.Context())
	if len(reach) != 12 || len(deaf) != 0 || reach[0].From != "a" || reach[0].To != "b" || reach[0].Failed != "" || !reach[0].Long || reach[0].MTU == 0 {
		t.Errorf("reach %+v", reach)
	}
}

// A pair without a transport has no result and a reason, and the workers go on.
func TestPairWithoutTransport(t *testing.T) {
	w := realWorkers(t, Options{Transport: "none", Small: 1, Large: 1, Deadline: time.Minute}, "a", "b")
	hosts := []pairs.Host{{Name: "a"}, {Name: "b"}}
	for range 2 {
		if r := w.Batch(t.Context(), hosts, []pairs.Match{{A: 0, B: 1}})[0]; !strings.Contains(r.Failed, `unknown transport "none"`) || r.Kind != pairs.NoConnection {
			t.Errorf("result %+v", r)
		}
	}
}
