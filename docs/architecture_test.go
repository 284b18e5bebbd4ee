package docs

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// roomOf finds the packages and files that a page names.
var roomOf = regexp.MustCompile("`((?:bench|cmd|comm|compare|configs|device|experiment|importer|internal|kernels|launch|micro|record|report|sockets|stats|transports)(?:/[a-z0-9_./]+)?)`")

// Every package and file that architecture.md names exists, and every package stands under a name
// of the table of floors.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, floors, _ := strings.Cut(string(text), "## Floors")
	floors, _, _ = strings.Cut(floors, "\n## ")
	onFloor := map[string]bool{}
	for _, m := range roomOf.FindAllStringSubmatch(floors, -1) {
		onFloor[strings.TrimSuffix(m[1], "/")] = true
	}
	for _, m := range roomOf.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat("../" + m[1]); err != nil {
			t.Errorf("architecture.md names %s, which does not exist", m[1])
		}
	}
	out, err := exec.Command("go", "list", "-f", "{{slice .ImportPath (len .Module.Path)}}", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		name := strings.TrimPrefix(strings.TrimSpace(line), "/")
		found := false
		for at := name; at != "."; at = path.Dir(at) {
			found = found || onFloor[at]
		}
		switch top, _, _ := strings.Cut(name, "/"); top {
		case "docs", "internal", "peers", "scripts", "transports", "kernels":
			continue
		}
		if !found {
			t.Errorf("no floor of architecture.md has package %s", name)
		}
	}
}
