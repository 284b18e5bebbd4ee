//go:build verbs && cgo

package hybrid

import (
	"encoding/binary"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gobench/device/devicetest"
	"gobench/internal/bench/clock"
	_ "gobench/transports/verbs"
)

// onMachines runs rules with ranks on two machines.
func onMachines(t *testing.T, between string, set map[string]string, rules ...string) {
	address := os.Getenv("GOBENCH_TEST_ELSEWHERE")
	if address == "" {
		t.Skip("SKIPPED: scripts/verbs.sh runs it on two virtual machines")
	}
	options := map[string]string{"bind": "10.5.0.0/24", "wait": "yield"}
	maps.Copy(options, set)
	devicetest.Run(t, devicetest.Subject{Driver: driver{"smem", between}, Ranks: devicetest.Processes, Hosts: halves, MaxRanks: 4, Largest: true,
		Limit: 90 * time.Second, Options: options, Only: rules,
		Elsewhere: func(host int) string { return [2]string{"", address}[host] }})
}

// TestMachines runs rules over shared memory and soft-RoCE. As in the transport ibv's test of that
// name, only the rules of dead ranks have a short time-out, because a machine may stand still.
func TestMachines(t *testing.T) {
	onMachines(t, "ibv", map[string]string{"device": "rxe0", "peer_timeout": "4000"},
		"order of many senders", "all to all", "random traffic", "close delivers")
	onMachines(t, "ibv", map[string]string{"device": "rxe0"}, "death of a sender", "death of the first rank")
}

// TestMachinesFarApart runs rules over shared memory and TCP with delays on the way, which netem
// makes. TestTroubledNetworks has loss.
func TestMachinesFarApart(t *testing.T) {
	for name, trouble := range map[string]string{
		"delay and jitter": "delay 2ms 1ms",
		"reordering":       "delay 1ms reorder 25% 50%",
	} {
		t.Run(name, func(t *testing.T) {
			tc := func(args string) {
				if out, err := exec.Command("tc", strings.Fields("qdisc "+args)...).CombinedOutput(); err != nil {
					t.Fatalf("tc qdisc %s: %v: %s", args, err, out)
				}
			}
			if os.Getenv("GOBENCH_TEST_ELSEWHERE") != "" {
				tc("add dev eth0 root netem " + trouble)
				defer tc("del dev eth0 root")
			}
			onMachines(t, "tcp", nil, "order of many senders", "every size", "close delivers")
		})
	}
}

// twoClocks implements clock.Net for two machines over one connection.
type twoClocks struct {
	rank int
	conn net.Conn
}

func (c twoClocks) Rank() int  { return c.rank }
func (c twoClocks) Size() int  { return 2 }
func (c twoClocks) Now() int64 { return clock.Now() }

func (c twoClocks) Send(_ int, word int64) error {
	_, err := c.conn.Write(binary.LittleEndian.AppendUint64(nil, uint64(word)))
	return err
}

func (c twoClocks) Recv(int) (int64, error) {
	var b [8]byte
	_, err := io.ReadFull(c.conn, b[:])
	return int64(binary.LittleEndian.Uint64(b[:])), err
}

// TestClocksOfMachines compares the clocks of two machines, which drift as they do. The truth is
// not known, but what is read of the first machine's clock between a question and its answer must
// lie between the two, by the map of the second machine and its bound. This holds for 95 % of the
// maps, now and after the next synchronisation.
func TestClocksOfMachines(t *testing.T) {
	role, address, _ := strings.Cut(os.Getenv("GOBENCH_TEST_CLOCKS"), "@")
	if role == "" {
		t.Skip("SKIPPED: scripts/verbs.sh runs it on two virtual machines")
	}
	c := twoClocks{rank: map[string]int{"first": 0, "second": 1}[role]}
	if c.rank == 0 {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if c.conn, err = listener.Accept(); err != nil {
			t.Fatal(err)
		}
	} else {
		var err error
		for until := time.Now().Add(30 * time.Second); c.conn == nil; time.Sleep(50 * time.Millisecond) {
			if c.conn, err = net.Dial("tcp", address); err != nil && time.Now().After(until) {
				t.Fatal(err)
			}
		}
	}
	defer c.conn.Close()
	const trials = 40
	kept, widest := 0, 0.0
	var before clock.Model
	for trial := range trials {
		m, err := clock.Synchronise(c, clock.DefaultEffort)
		if err != nil {
			t.Fatal(err)
		}
		if c.rank == 0 { // answers
			if _, err = c.Recv(1); err == nil {
				err = c.Send(1, c.Now())
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		asked := c.Now()
		if err = c.Send(0, 0); err != nil {
			t.Fatal(err)
		}
		read, err := c.Recv(0)
		answered := c.Now()
		if err != nil {
			t.Fatal(err)
		}
		holds := func(m clock.Model) bool {
			return float64(m.Global(asked))-1e9*m.Bound(asked) <= float64(read) && float64(read) <= float64(m.Global(answered))+1e9*m.Bound(answered)
		}
		if holds(m) && (trial == 0 || holds(before)) {
			kept++
		}
		before, widest = m, max(widest, m.Bound(answered))
	}
	t.Logf("%d of %d maps hold, bounds of up to %.3g us", kept, trials, 1e6*widest)
	if c.rank == 1 && kept < trials*95/100 {
		t.Errorf("the bound holds in %d of %d", kept, trials)
	}
}
