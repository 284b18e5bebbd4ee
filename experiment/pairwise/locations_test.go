package pairwise

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
