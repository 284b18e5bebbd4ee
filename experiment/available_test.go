package experiment

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"gobench/device"
	"gobench/internal/launch/hostlist"
)

// A transport is tried on this machine with the options that it is to have, and only if its ranks
// are to run here.
func TestAvailable(t *testing.T) {
	const unusable = "engine=net"
	var unavailable *device.UnavailableError
	for _, c := range []struct {
		transports string
		options    []string
		fails      bool
	}{
		{"wheel", nil, false},
		{"wheel", []string{unusable}, true},
		{"sled,wheel", []string{"eager_limit=2K", unusable}, true},
		{"sled", []string{unusable}, false},
		{"", nil, false},
		{"weel", []string{unusable}, false},
		{"wheel", []string{"engine"}, false},
	} {
		if err := Available(c.transports, c.options); errors.As(err, &unavailable) != c.fails || !c.fails && err != nil {
			t.Errorf("%s with %v: %v", c.transports, c.options, err)
		}
	}
	for _, hosts := range [][]hostlist.Host{nil, {{Name: "h1", Slots: 2}}} {
		a := ask(func(a *P2P) { a.Options = []string{unusable}; a.File = filepath.Join(t.TempDir(), "records.jsonl") })
		r, err := check(a)
		if err != nil {
			t.Fatal(err)
		}
		r.Hosts = hosts
		c, err := newCampaign(t.Context(), []*measurement{r}, Setup{Stdout: io.Discard, Stderr: io.Discard})
		if errors.As(err, &unavailable) != (hosts == nil) {
			t.Errorf("ranks on %v: %v", hosts, err)
		}
		if err == nil {
			c.file.Close()
		}
	}
}
