package survey

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gobench/device"
	"gobench/internal/launch/host"
	"gobench/nearest"
)

// broken is a driver that cannot be used.
type broken struct{ why error }

func (broken) Name() string   { return "broken" }
func (broken) About() string  { return "a driver without its library" }
func (b broken) Probe() error { return b.why }
func (broken) Options() []device.Option {
	return []device.Option{{Name: "spare", Kind: device.Word, Default: "no", Values: []string{"no"}}}
}
func (broken) Open(context.Context, device.Job, device.Options) (device.Device, error) {
	return nil, errors.New("it cannot be opened")
}

type working struct{ broken }

func (working) Name() string { return "working" } // after broken in alphabetical order
func (working) Probe() error { return nil }

func init() {
	device.Register(broken{&device.UnavailableError{Transport: "broken", Reason: "libbroken.so is missing", Remedy: "apt install libbroken"}})
	device.Register(working{})
}

func TestUnusableTransportsHaveAReason(t *testing.T) {
	var b strings.Builder
	if err := (&Survey{Transports: transports()}).PrintAll(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  broken       a driver without its library\n",
		"               cannot be used here: libbroken.so is missing\n",
		"               remedy: apt install libbroken\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "spare"); n != 1 {
		t.Errorf("the option of both drivers is there %d times, want only that of the one that works:\n%s", n, b.String())
	}
}

// The short form has a line for each transport that does not work, with the remedy, and one for all
// that are not part of the program.
func TestTheShortForm(t *testing.T) {
	s := &Survey{Launcher: Launcher{Name: "singleton"}, Transports: []Transport{
		{Name: "works", Usable: true},
		{Name: "broken", Reason: "libbroken.so is missing (no such file)", Remedy: "apt install libbroken"},
		{Name: "one", Reason: notBuilt + "this"}, {Name: "two", Reason: notBuilt + "that"},
	}, Distances: []host.CorePair{{A: 0, B: 1, Distance: 30e-9}, {A: 0, B: 2, Distance: 120e-9}}}
	var b strings.Builder
	if err := s.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"works      works\n", "does not   broken: libbroken.so is missing: apt install libbroken\n", "           one, two: not in this build; ",
		"distance   a cache line takes 30 ns from core 0 to 1, 120 ns from 0 to 2; usual: near cores 16 to 51, ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "\n"); n > 12 {
		t.Errorf("%d lines", n)
	}
}

func TestATransportByName(t *testing.T) {
	s := &Survey{Transports: transports()}
	var b strings.Builder
	if err := s.PrintTransport(&b, "working"); err != nil || strings.Count(b.String(), "spare=no ") != 1 {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := s.PrintTransport(&b, "nothing"); !errors.As(err, new(*nearest.UnknownError)) {
		t.Error(err)
	}
}

func TestUsableTransportsAreFirst(t *testing.T) {
	list := transports()
	if !list[0].Usable || list[len(list)-1].Usable {
		t.Errorf("transports in this order: %+v", list)
	}
}

func TestPtraceScopes(t *testing.T) {
	scope := func(n int64) *int64 { return &n }
	for want, got := range map[string]string{
		"no ptrace scope":                   ptrace(nil),
		"may read each other's memory (":    ptrace(scope(0)),
		"where they allow it":               ptrace(scope(1)),
		"cannot read each other's memory (": ptrace(scope(2)),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
