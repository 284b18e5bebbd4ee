package pairwise

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/internal/launch/host"
	"gobench/pairs"
)

// The JSON follows lldpctl 1.0 for two interfaces, shortened; it was never read from a switch.
func TestOwnLocation(t *testing.T) {
	for _, c := range []struct {
		address, pattern string
		want             []string
	}{
		{"spine1.leaf2.h1", "switch.switch.node", []string{"spine1", "leaf2"}},
		{"leaf2.h1.example.org", "switch.node", []string{"leaf2"}},
		{"h1", "node", nil}, {"", "", nil}, {"h1", "switch.node", nil},
	} {
		if got := slurmLocation(c.address, c.pattern); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.address, c.pattern, got, c.want)
		}
	}
	const text = `{"lldp": [{"interface": [
		{"name": "eth0", "via": "LLDP", "chassis": [{"id": [{"type": "mac", "value": "00:01:02:03:04:05"}], "name": [{"value": "leaf7"}]}]},
		{"name": "eth1", "via": "LLDP", "chassis": [{"id": [{"type": "mac", "value": "00:01:02:03:04:06"}]}]}]}]}`
	for nic, want := range map[string][]string{"eth0": {"leaf7"}, "eth1": {"00:01:02:03:04:06"}, "eth2": nil} {
		if got := lldpLocation([]byte(text), []host.NIC{{Name: nic}}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", nic, got, want)
		}
	}
	if got := lldpLocation([]byte("no neighbours"), nil); got != nil {
		t.Errorf("no JSON: %v", got)
	}
	one, two, none := pairs.Facts{Host: "h1", Location: []string{"a"}}, pairs.Facts{Host: "h2", Location: []string{"b"}}, pairs.Facts{Host: "h3"}
	if got := found([]pairs.Facts{one, two}, 2); len(got) != 2 || got["h2"][0] != "b" {
		t.Errorf("two places: %v", got)
	}
	for _, list := range [][]pairs.Facts{{one, none}, {one, one}, {one, two, none}, nil} {
		if got := found(list, len(list)); got != nil {
			t.Errorf("%v: %v", list, got)
		}
	}
}

func TestReadLocations(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		"# comment\nSwitchName=leaf1 Nodes=h[1-2]\nSwitchName=leaf2 Nodes=h3 LinkSpeed=1\nSwitchName=top Switches=leaf[1-2]\n": {
			"h1": {"top", "leaf1"}, "h2": {"top", "leaf1"}, "h3": {"top", "leaf2"},
		},
		"SwitchName=a Switches=a Nodes=h1\n": {"h1": {"a", "a"}}, // it ends
		"h1 a b\n\nh2 a c\n":                 {"h1": {"a", "b"}, "h2": {"a", "c"}},
	} {
		file := filepath.Join(t.TempDir(), "topology")
		os.WriteFile(file, []byte(text), 0o600)
		got, err := ReadLocations(file)
		if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"h1 a b\nh2 a\n":            "equally many",
		"h1\n":                      "has no place",
		"SwitchName=a Nodes=h[1-\n": "line 1",
	} {
		file := filepath.Join(t.TempDir(), "topology")
		os.WriteFile(file, []byte(text), 0o600)
		_, err := ReadLocations(file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadLocations(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist is read")
	}
}
