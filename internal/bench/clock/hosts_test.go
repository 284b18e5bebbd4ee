package clock_test

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/bench/clock"
	"gobench/internal/lab"
)

// trials is the number of synchronisations under each condition of TestBoundsBetweenHosts.
var trials = flag.Int("trials", 5, "synchronisations under each condition between hosts")

const guestEnv = "GOBENCH_CLOCK_GUEST"

func TestMain(m *testing.M) {
	flag.Parse()
	if text := os.Getenv(guestEnv); text != "" {
		if err := play(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// guest is a rank on a host of the lab, which compares clocks by TCP. Its clock is the clock of
// the host, whose time namespace has an offset, with another rate.
type guest struct {
	Rank, Size int
	Addresses  []string
	Offsets    []int64   // of the clocks of the hosts, ns
	Rates      []float64 // of all clocks: 1e-6 = 1 ppm too fast
	Start      int64     // time on the machine's clock from which the rates apply, ns
	Trials     int
}

// An outcome holds the bound of the error of one rank's map and the true error, at the end of a
// synchronisation and a second later, in seconds.
type outcome struct{ Bound, Wrong, LaterBound, LaterWrong float64 }

// shows returns the clock of a rank at a time of the machine.
func (g guest) shows(rank int, machine int64) int64 {
	return machine + g.Offsets[rank] + int64(math.Round(g.Rates[rank]*float64(machine-g.Start)))
}

// guestNet implements clock.Net.
type guestNet struct {
	guest
	links []int // sockets, by rank
}

func (n guestNet) Rank() int { return n.guest.Rank }
func (n guestNet) Size() int { return n.guest.Size }
func (n guestNet) Now() int64 {
	return n.shows(n.guest.Rank, clock.Now()-n.Offsets[n.guest.Rank])
}

func (n guestNet) Send(to int, word int64) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(word))
	_, err := syscall.Write(n.links[to], b)
	return err
}

func (n guestNet) Recv(from int) (int64, error) {
	var b [8]byte
	for have := 0; have < len(b); {
		k, err := syscall.Read(n.links[from], b[have:])
		if err != nil && err != syscall.EINTR {
			return 0, err
		}
		if k == 0 {
			return 0, fmt.Errorf("rank %d has ended", from)
		}
		have += max(k, 0)
	}
	return int64(binary.LittleEndian.Uint64(b[:])), nil
}

// play runs the trials of one rank, and prints an outcome for each.
func play(text string) error {
	var g guest
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return err
	}
	n := guestNet{g, make([]int, g.Size)}
	if err := n.connect(); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for range g.Trials {
		m, err := clock.Synchronise(n, clock.DefaultEffort)
		if err != nil {
			return err
		}
		machine := clock.Now() - g.Offsets[g.Rank]
		at := func(machine int64) (bound, wrong float64) {
			own := n.shows(g.Rank, machine)
			return m.Bound(own), math.Abs(float64(m.Global(own)-n.shows(0, machine))) / 1e9
		}
		var o outcome
		o.Bound, o.Wrong = at(machine)
		o.LaterBound, o.LaterWrong = at(machine + 1e9)
		if err := out.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// connect connects with all ranks. Of two ranks, the higher one calls.
func (n guestNet) connect() error {
	listener, err := net.Listen("tcp4", n.Addresses[n.guest.Rank])
	if err != nil {
		return err
	}
	for peer := range n.guest.Size {
		if peer == n.guest.Rank {
			continue
		}
		var c net.Conn
		for until := time.Now().Add(20 * time.Second); peer < n.guest.Rank; time.Sleep(10 * time.Millisecond) {
			if c, err = net.Dial("tcp4", n.Addresses[peer]); err == nil || time.Now().After(until) {
				break
			}
		}
		from := [1]byte{byte(n.guest.Rank)}
		if peer > n.guest.Rank {
			if c, err = listener.Accept(); err == nil {
				_, err = c.Read(from[:])
			}
		} else if err == nil {
			_, err = c.Write(from[:])
		}
		if err != nil {
			return err
		}
		file, err := c.(*net.TCPConn).File()
		if err != nil {
			return err
		}
		if peer > n.guest.Rank {
			peer = int(from[0])
		}
		n.links[peer] = int(file.Fd()) // blocking from now on
	}
	return nil
}

// Between hosts whose clocks are a quarter of an hour apart and differ in rate, the error of the
// map of each rank is below its bound in 95 % of the synchronisations, immediately and a second
// later. The offsets of the lab's hosts are known, and the rates are simulated.
func TestBoundsBetweenHosts(t *testing.T) {
	const ranks = 3
	hosts := lab.Hosts(t, ranks)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d synchronisations of %d hosts each; us: error and bound at the end, and a second later; medians", *trials, ranks)
	for _, c := range []struct {
		name  string
		rates []float64
		begin func() (end func())
	}{
		{"clocks of one rate", []float64{0, 0, 0}, nil},
		{"clocks of +-100 ppm", []float64{20e-6, 120e-6, -80e-6}, nil},
		{"busy hosts", []float64{20e-6, 120e-6, -80e-6}, func() func() { return busy(t, hosts) }},
		{"a cable of 10 Mbit/s", []float64{20e-6, 120e-6, -80e-6}, func() func() { hosts[1].Slow("10mbit"); return hosts[1].Mend }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.begin != nil {
				defer c.begin()()
			}
			report(t, synchronised(t, hosts, program, c.rates))
		})
	}
}

// busy runs two programs that compute on each host until the returned function is called.
func busy(t *testing.T, hosts []*lab.Host) (end func()) {
	var all []*exec.Cmd
	for _, h := range slices.Concat(hosts, hosts) {
		c := h.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return func() {
		for _, c := range all {
			lab.Signal(c, syscall.SIGKILL)
			c.Wait()
		}
	}
}

// synchronised runs the trials with one rank on each host, and returns the outcomes of all ranks
// but rank 0, whose clock is the global one.
func synchronised(t *testing.T, hosts []*lab.Host, program string, rates []float64) (all []outcome) {
	g := guest{Size: len(hosts), Rates: rates, Start: clock.Now(), Trials: *trials}
	for i, h := range hosts {
		g.Addresses = append(g.Addresses, h.Address+":7300")
		g.Offsets = append(g.Offsets, int64(i+1)*1000e9) // lab.sh
	}
	outs := make([]strings.Builder, len(hosts))
	running := make([]*exec.Cmd, len(hosts))
	for i, h := range hosts {
		g.Rank = i
		text, _ := json.Marshal(g)
		running[i] = h.Command(program)
		running[i].Env = append(running[i].Env, guestEnv+"="+string(text))
		running[i].Stdout, running[i].Stderr = &outs[i], os.Stderr
		if err := running[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range running {
		if err := c.Wait(); err != nil {
			t.Fatalf("rank %d: %v", i, err)
		}
		for lines := json.NewDecoder(strings.NewReader(outs[i].String())); i > 0 && lines.More(); {
			var o outcome
			if err := lines.Decode(&o); err != nil {
				t.Fatal(err)
			}
			all = append(all, o)
		}
	}
	return all
}

func report(t *testing.T, all []outcome) {
	if len(all) == 0 {
		t.Fatal("no synchronisation")
	}
	kept := 0
	for _, o := range all {
		if o.Wrong <= o.Bound && o.LaterWrong <= o.LaterBound {
			kept++
		}
	}
	median := func(of func(outcome) float64) float64 {
		list := make([]float64, len(all))
		for i, o := range all {
			list[i] = of(o) * 1e6
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	t.Logf("%d of %d hold; error %.3g, bound %.3g; later %.3g, %.3g", kept, len(all),
		median(func(o outcome) float64 { return o.Wrong }), median(func(o outcome) float64 { return o.Bound }),
		median(func(o outcome) float64 { return o.LaterWrong }), median(func(o outcome) float64 { return o.LaterBound }))
	if float64(kept) < 0.95*float64(len(all)) {
		t.Errorf("the bound holds in %d of %d", kept, len(all))
	}
}
