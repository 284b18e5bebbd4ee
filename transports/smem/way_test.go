package smem

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/profile"
	"gobench/device/protocol"
	"gobench/internal/simd"
)

func TestClasses(t *testing.T) {
	for size, want := range map[int]int{0: 0, 1: 0, 8 << 10: 0, 8<<10 + 1: 1, 16 << 10: 1, 16<<10 + 1: 2, 4 << 20: 9, 1 << 40: 9} {
		if got := classOf(size); got != want {
			t.Errorf("%d bytes are of class %d, want %d", size, got, want)
		}
	}
}

func TestTablesAsText(t *testing.T) {
	mixed := filled(16<<10, protocol.Get)
	mixed[classOf(64<<10)], mixed[classes-1] = protocol.Split, protocol.Pipeline
	for _, c := range []struct {
		table table
		text  string
	}{
		{filled(0, protocol.Put), "put"},
		{filled(64<<10, protocol.Pipeline), "eager to 64K, pipeline"},
		{mixed, "eager to 16K, get to 32K, split to 64K, get to 2M, pipeline"},
	} {
		if got := c.table.String(); got != c.text {
			t.Errorf("%v is written %q, want %q", [classes]protocol.Method(c.table), got, c.text)
		}
		if got, err := parseTable(c.text); err != nil || got != c.table {
			t.Errorf("%q is read as %v, %v", c.text, got, err)
		}
	}
	if got, err := parseTable("eager"); err != nil || got != filled(maxEager, protocol.Pipeline) {
		t.Errorf("eager messages without end are %v, %v", got, err)
	}
	for _, wrong := range []string{"", "fast", "get to", "get to 1M", "get to x, put"} {
		if got, err := parseTable(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, got)
		}
	}
}

// choices returns the choices for both distances.
func choices(pick func(distance int, what string) string) *profile.Profile {
	p := &profile.Profile{}
	for distance := range distances {
		for _, what := range append([]string{"copy", "fetch"}, trafficNames[:]...) {
			p.Choices = append(p.Choices, profile.Choice{Routine: routineOf(distance, what), Pick: pick(distance, what)})
		}
	}
	return p
}

// What the profile says is in force for each distance, and what this build lacks is not.
func TestAProfileIsObeyed(t *testing.T) {
	list := simd.Copiers()
	last := list[len(list)-1].Name
	profile.Use(choices(func(distance int, what string) string {
		switch {
		case what == "copy" && distance == near:
			return last
		case what == "copy" || what == "fetch":
			return "go"
		}
		return []string{"get", "split to 1M, put"}[distance]
	}))
	defer profile.Use(nil)
	w := goroutineWires(t, 2, minRing)[0]
	p := &w.peers[1]
	for distance, want := range []string{"get", "split to 1M, put"} {
		p.far = distance == far
		w.choose(p)
		if isLast := (p.out.bulk != nil) == (distance == near && last != "go"); !isLast || p.fetch != nil || (w.posts != nil) != (p.out.bulk != nil) {
			t.Errorf("%s: other copy routines are in force", distanceNames[distance])
		}
		for traffic, table := range w.tunings[distance].tables {
			if table.String() != want {
				t.Errorf("%s %s: %v is in force, want %s", distanceNames[distance], trafficNames[traffic], table, want)
			}
		}
		if got := w.found()[distanceNames[distance]+"_stream"]; got != want {
			t.Errorf("the record has %q, want %q", got, want)
		}
	}
	known := tuningText(tuningOf((&profile.Profile{}).With([]profile.Choice{{Routine: routineOf(near, "copy"), Pick: last}}), far))
	if known != last {
		t.Errorf("at a distance that was never tried %q copies, want %q as at the other one", known, last)
	}
	found, unknown := tuningOf(choices(func(int, string) string { return "warp" }), near)
	if found != plain || len(unknown) != 6 || !strings.Contains(unknown[0], `"warp"`) {
		t.Errorf("of an unknown profile %v is in force, and said is %q", found, unknown)
	}
	if found, unknown := tuningOf(nil, far); found != plain || unknown != nil {
		t.Errorf("without a profile %v is in force, and said is %q", found, unknown)
	}
}

func tuningText(w tuning, _ []string) string { return w.copier }

// Each routine fills the ring, fetches packets, posted data and memory of peers, of any length, and
// writes nothing else.
func TestRoutinesFetch(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	p := &w.peers[1]
	const guard = 64
	for _, c := range simd.Copiers() {
		if c.Around {
			continue
		}
		one := plain
		one.fetch = c.Name
		w.adopt([distances]tuning{one, one})
		for _, n := range []int{1, 63, 2<<10 + 1, 64<<10 - 1, 1<<20 + 13} {
			from := make([]byte, n+1)
			for i := range from {
				from[i] = byte(i%251) + 1
			}
			from = from[1:]
			for name, move := range map[string]func(to []byte){
				"a packet":          func(to []byte) { w.copyFrom(1, to, from) },
				"posted data":       func(to []byte) { w.Fetch(to, from) },
				"memory of a peer":  func(to []byte) { p.direct(false, from, to) },
				"into memory of it": func(to []byte) { p.direct(true, to, from) },
			} {
				all := make([]byte, guard+n+guard)
				move(all[guard : guard+n])
				if !bytes.Equal(all[guard:guard+n], from) || !bytes.Equal(all[:guard], make([]byte, guard)) || !bytes.Equal(all[guard+n:], make([]byte, guard)) {
					t.Errorf("%s, %s of %d bytes: the data or what is around it is wrong", c.Name, name, n)
				}
			}
		}
	}
}

// tablesVariable names the profile of turned that ranks which are processes put in force.
const tablesVariable = "GOBENCH_SMEM_TEST_TABLES"

// turned returns a profile in which neighbouring classes have different methods, and so have the
// kinds of traffic and the two distances.
func turned(by int) *profile.Profile {
	return choices(func(distance int, what string) string {
		list := simd.Copiers()
		if what == "copy" || what == "fetch" {
			c := list[(by+distance)%len(list)]
			if c.Around && what == "fetch" {
				c = simd.GoCopy
			}
			return c.Name
		}
		var t table
		for class := range t {
			t[class] = protocol.Method((by + class + distance + len(what)) % len(methodWords))
		}
		parsed, _ := parseTable(t.String()) // without eager messages that are too long
		return parsed.String()
	})
}

// Messages arrive whatever a profile says: each method at each size, in each kind of traffic.
func TestTables(t *testing.T) {
	for by := range len(methodWords) {
		t.Run(fmt.Sprint(by), func(t *testing.T) {
			t.Setenv(tablesVariable, fmt.Sprint(by))
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Largest: true,
				Only: []string{"every size", "allocated buffers", "truncation", "random traffic", "no allocation"}})
			profile.Use(turned(by))
			defer profile.Use(nil)
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Goroutines, Largest: true,
				Only: []string{"every size", "allocated buffers"}})
		})
	}
}

// Trials find a choice for all that a profile may have at the distance of the cores, and the ranks
// that use it accept all of them.
func TestTry(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("trials need two cores")
	}
	job := processJob(t, 2, "try", nil)
	found, err := driver{}.Try(context.Background(), job, 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	p := (*profile.Profile)(nil).With(found)
	distance := near
	if p.Pick(routineOf(far, "messages")) != "" {
		distance = far
	}
	for _, what := range append([]string{"copy", "fetch"}, trafficNames[:]...) {
		if p.Pick(routineOf(distance, what)) == "" {
			t.Errorf("nothing is chosen for %s", routineOf(distance, what))
		}
	}
	if _, unknown := tuningOf(p, distance); unknown != nil {
		t.Errorf("what trials have found is refused: %q", unknown)
	}
	latency := map[int]float64{near: farLatency / 2, far: farLatency * 2}
	if !(driver{}).Tried(p, latency[distance]) || (driver{}).Tried(p, latency[1-distance]) {
		t.Errorf("trials at distance %s count for another one", distanceNames[distance])
	}
}

func init() {
	roles["try"] = func(job device.Job, _ map[string]string) error {
		_, err := driver{}.Try(context.Background(), job, 0) // the lower rank has the time
		return err
	}
	if text := os.Getenv(tablesVariable); text != "" {
		by := 0
		fmt.Sscan(text, &by)
		profile.Use(turned(by))
	}
}

// Without time for a trial the plain methods stay, and count as disturbed.
func TestTryWithoutTime(t *testing.T) {
	jobs := goroutineJobs(2)
	var group sync.WaitGroup
	for _, job := range jobs {
		group.Go(func() {
			found, err := driver{}.Try(context.Background(), job, 0)
			if err != nil {
				t.Error(err)
				return
			}
			if p := (*profile.Profile)(nil).With(found); job.Rank() == 0 && !p.Disturbed() {
				t.Errorf("%+v does not count as disturbed", found)
			}
		})
	}
	group.Wait()
	if _, err := (driver{}).Try(context.Background(), goroutineJobs(1)[0], 0); err == nil {
		t.Error("a rank alone has tried")
	}
}
