package contact

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/device"
)

// network makes the contacts of n ranks of this process, which listen, and nobody has called. reach
// returns the address at which a rank finds another; nil: where it listens.
func network(t *testing.T, n, connections int, reach func(from, to int, address string) Target) []*Contacts {
	t.Helper()
	all, addresses := make([]*Contacts, n), make([]string, n)
	for rank := range all {
		l := listen(t)
		addresses[rank] = l.Addr().String()
		set := testSettings(rank, n, connections)
		set.Hosts = true
		set.Own = addresses[rank : rank+1]
		set.Host = func(rank int) string { return fmt.Sprintf("h%d", rank+1) }
		set.Remedy = "open ports"
		set.Targets = func(peer int) ([]Target, error) {
			if reach != nil {
				return []Target{reach(rank, peer, addresses[peer])}, nil
			}
			return []Target{at(addresses[peer])}, nil
		}
		all[rank] = New(set, []net.Listener{l})
		t.Cleanup(all[rank].Close)
	}
	return all
}

func (k *Contacts) ended(t *testing.T, rank int) *contact {
	t.Helper()
	select {
	case <-k.Over(rank):
	case <-time.After(20 * time.Second):
		t.Fatalf("rank %d: the contact to rank %d does not end", k.set.Rank, rank)
	}
	return k.of[rank]
}

// connectedOnce expects that two ranks use both ends of the same connections.
func connectedOnce(t *testing.T, low, high *contact) {
	t.Helper()
	if err := errors.Join(low.err, high.err); err != nil {
		t.Fatal(err)
	}
	for i := range low.conns {
		if a, b := low.conns[i].LocalAddr().String(), high.conns[i].RemoteAddr().String(); a != b {
			t.Fatalf("connection %d goes from %s, and comes from %s", i, a, b)
		}
	}
}

// Whichever rank of a pair calls, and if both do, the pair is connected once, and both ends of each
// connection are in use.
func TestCalls(t *testing.T) {
	for _, connections := range []int{1, 2} {
		for round := range 40 {
			n := network(t, 2, connections, nil)
			for rank := range 2 {
				if round%4 == 3 || round%4 != rank+1 { // both, or all but one
					go n[rank].Call(1-rank, 10*time.Second)
				}
			}
			connectedOnce(t, n[0].ended(t, 1), n[1].ended(t, 0))
			for _, l := range n {
				l.Close()
			}
		}
	}
}

// blocked is an address behind a firewall: it refuses, or no answer comes.
type blocked struct {
	at
	refuses bool
}

func (b blocked) Dial(ctx context.Context) (net.Conn, error) {
	if b.refuses {
		return nil, syscall.ECONNREFUSED
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A pair is connected where connections pass in one direction only, whichever that is and whether
// the firewall drops or refuses the others.
func TestOneDirection(t *testing.T) {
	t.Parallel()
	for _, refuses := range []bool{false, true} {
		for from := range 2 {
			for _, connections := range []int{1, 2} {
				t.Run(fmt.Sprintf("from %d, refuses %v, %d", from, refuses, connections), func(t *testing.T) {
					t.Parallel()
					n := network(t, 2, connections, func(rank, _ int, address string) Target {
						if rank == from {
							return at(address)
						}
						return blocked{at(address), refuses}
					})
					n[0].Expect(1, 20*time.Second)
					n[1].Expect(0, 20*time.Second)
					connectedOnce(t, n[0].ended(t, 1), n[1].ended(t, 0))
				})
			}
		}
	}
}

// Where no connection passes, each rank names both hosts, all addresses, both directions, what was
// tried and the remedy.
func TestNoDirection(t *testing.T) {
	n := network(t, 2, 1, func(_, _ int, address string) Target { return blocked{at: at(address)} })
	n[0].Expect(1, 2*time.Second)
	n[1].Expect(0, 2*time.Second)
	for rank := range 2 {
		own, other := n[rank].set.Own[0], n[1-rank].set.Own[0]
		here, there := fmt.Sprintf("h%d", rank+1), fmt.Sprintf("h%d", 2-rank)
		want := fmt.Sprintf("rank %d on %s cannot be reached: from %s to %s no answer (1 try); from %s to %s nothing has come; the launcher reaches both hosts, so a firewall or the routes between %s and %s stop it: open ports",
			1-rank, there, here, other, there, own, here, there)
		var lost *device.PeerError
		if err := n[rank].ended(t, 1-rank).err; !errors.As(err, &lost) || lost.Rank != 1-rank || err.Error() != want {
			t.Errorf("rank %d:\n%v, want\n%s", rank, err, want)
		}
	}
}

// A rank that has begun to leave is not connected any more, unless that had begun before.
func TestCallOfRankThatLeaves(t *testing.T) {
	n := network(t, 3, 1, nil)
	n[0].Call(1, 10*time.Second)
	n[0].ended(t, 1)
	if got := fmt.Sprint(n[0].Leave()); got != "[2]" {
		t.Errorf("strangers are %s", got)
	}
	n[2].Call(0, 10*time.Second)
	var lost *device.PeerError
	if err := n[2].ended(t, 0).err; !errors.As(err, &lost) || lost.Rank != 0 || lost.Cause != "it has closed its device" {
		t.Errorf("calling it: %v", err)
	}
	n[1].acceptor.close()
	n[2].Call(1, 10*time.Second)
	if err := n[2].ended(t, 1).err; !errors.As(err, &lost) || lost.Rank != 1 || !strings.Contains(lost.Cause, syscall.ECONNREFUSED.Error()) {
		t.Errorf("calling a rank that does not listen: %v", err)
	}
}

// Between hosts, what the called rank answers is the error of a pair that both ranks connect, and
// ends it without waiting for the other rank.
func TestAnswerBetweenHosts(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(caller, called *Contacts)
		want    string
	}{
		{"has left", func(_, called *Contacts) { called.Leave() }, "it has closed its device"},
		{"no targets", func(caller, _ *Contacts) {
			caller.set.Targets = func(int) ([]Target, error) { return nil, errors.New("it speaks another version") }
		}, "it speaks another version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := network(t, 2, 1, nil)
			c.prepare(n[1], n[0])
			n[1].Expect(0, time.Hour)
			if err := n[1].ended(t, 0).err; !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "firewall") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// On one host the higher rank alone calls, and an error that will not pass ends it immediately.
func TestOneHost(t *testing.T) {
	full := blocked{at: "127.0.0.1:1", refuses: true}
	n := network(t, 2, 1, func(int, int, string) Target { return full })
	for _, k := range n {
		k.set.Hosts, k.set.Host = false, func(int) string { return "" }
	}
	n[0].Expect(1, 2*time.Second)
	n[1].Expect(0, time.Hour)
	for rank, want := range []string{"rank 1 cannot be reached: it did not connect within 2s",
		"rank 0 cannot be reached: to 127.0.0.1:1 connection refused (1 try); its process has ended, or a firewall refuses"} {
		if err := n[rank].ended(t, 1-rank).err; err == nil || err.Error() != want {
			t.Errorf("rank %d: %v, want %s", rank, err, want)
		}
	}
}
