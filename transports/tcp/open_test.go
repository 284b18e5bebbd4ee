package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"gobench/device"
)

func tryOpen(t *testing.T, set ...string) []error {
	return ranks(t, 2, func(ctx context.Context, job device.Job) error {
		d, err := driver{}.Open(ctx, job, options(t, set...))
		if err == nil {
			err = d.Close()
		}
		return err
	})
}

// TestOpenRefuses checks the sentence for each thing that a user can get wrong.
func TestOpenRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, c := range []struct {
		set  []string
		want string // of rank 0
	}{
		{[]string{"port", port}, "port " + port},
		{[]string{"port", port}, "already taken"},
		{[]string{"port", "65535"}, "option port is"},
		{[]string{"bind", "nosuch0"}, "interfaces"},
		{[]string{"bind", "198.51.100.0/24"}, "a subnet, an address"},
		{[]string{"bind", "a/b"}, "option bind"},
		{[]string{"bind", "192.0.2.1"}, "cannot listen on 192.0.2.1"},
		{[]string{"bind", "127.0.0.1", "family", "6"}, "IP version 6"},
		{[]string{"rndv", "get"}, "option rndv"},
		{[]string{"rndv", "split"}, "option rndv"},
		{[]string{"congestion", "nosuch"}, "option congestion"},
	} {
		errs := tryOpen(t, c.set...)
		if errs[0] == nil || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.set, errs[0], c.want)
		}
		if errs[1] == nil {
			t.Errorf("%v: rank 1 sees no error", c.set)
		}
	}
	// The others learn who could not take part.
	var lost *device.PeerError
	if err := tryOpen(t, "port", port)[1]; !errors.As(err, &lost) || lost.Rank != 0 {
		t.Errorf("rank 1 sees %v", err)
	}
}

func TestOpenDifferentOptions(t *testing.T) {
	errs := ranks(t, 2, func(ctx context.Context, job device.Job) error {
		_, err := driver{}.Open(ctx, job, options(t, "connections", fmt.Sprint(1+job.Rank())))
		return err
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "connections") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestOpenAddresses opens on each way to name an address.
func TestOpenAddresses(t *testing.T) {
	sets := [][]string{{"bind", "127.0.0.1"}, {"bind", "lo", "family", "4"}, {"bind", "127.0.0.0/8"}, {"bind", "nosuch,=lo"}, {"family", "4"}, {"nodelay", "off", "sndbuf", "0", "rcvbuf", "0"}}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		l.Close()
		sets = append(sets, []string{"family", "6"}, []string{"bind", "::1"})
	}
	for _, set := range sets {
		for rank, err := range tryOpen(t, set...) {
			if err != nil {
				t.Errorf("%v: rank %d: %v", set, rank, err)
			}
		}
	}
}

// TestOpenGone has one rank never come: the other is told which.
func TestOpenGone(t *testing.T) {
	errs := ranks(t, 2, func(ctx context.Context, job device.Job) error {
		set, err := parse(options(t), job)
		if err != nil {
			return err
		}
		if job.Rank() == 1 { // takes part in the exchange, and never connects
			_, err := exchangeEndpoints(ctx, job, endpoint{Version: version, Connections: 1}, nil)
			return err
		}
		set.deadline /= 100
		_, err = connect(ctx, job, set)
		return err
	})
	var lost *device.PeerError
	if !errors.As(errs[0], &lost) || lost.Rank != 1 || !strings.Contains(lost.Cause, "did not connect") {
		t.Errorf("rank 0 sees %v", errs[0])
	}
}

// far is a rank alone on its host.
type far struct{ seat }

func (far) LocalSize() int { return 1 }
func (f far) Hosts() []int {
	hosts := make([]int, f.size)
	for rank := range hosts {
		hosts[rank] = rank
	}
	return hosts
}

// TestOpenPartRefuses: on several hosts, a rank whose own pairs could be connected names the rank
// that found one that cannot, and not a firewall.
func TestOpenPartRefuses(t *testing.T) {
	errs := ranks(t, 4, func(ctx context.Context, job device.Job) error {
		n := "1"
		if job.Rank() == 3 { // ranks 1 and 2 see it, rank 0 has no connection to rank 3
			n = "2"
		}
		set, err := parse(options(t, "connect", "needed", "bind", "127.0.0.1", "connections", n), job)
		if err != nil {
			return err
		}
		set.deadline /= 10
		m, err := connect(ctx, far{job.(seat)}, set)
		if err == nil {
			m.close()
		}
		return err
	})
	var lost *device.PeerError
	if !errors.As(errs[0], &lost) || lost.Rank != 1 || lost.State != "cannot take part" || !strings.Contains(lost.Cause, "connections=") {
		t.Errorf("rank 0 sees %v", errs[0])
	}
}

func TestInfo(t *testing.T) {
	must(t, 2, func(ctx context.Context, job device.Job) error {
		for _, open := range []func() (device.Channel, error){
			func() (device.Channel, error) { return driver{}.Open(ctx, job, options(t)) },
			func() (device.Channel, error) { return driver{}.OpenRaw(ctx, job, options(t)) },
		} {
			d, err := open()
			if err != nil {
				return err
			}
			info := d.Info()
			for _, o := range (driver{}).Options() {
				if _, ok := info.Options[o.Name]; !ok {
					t.Errorf("option %s is not in Info", o.Name)
				}
			}
			if info.Found["sndbuf_kernel"] == "" || info.Ranks != "goroutine" || info.MemoryPerPair == 0 || info.Transport != "tcp" {
				t.Errorf("info is %+v", info)
			}
			if err := d.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}
