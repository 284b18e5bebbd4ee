package experiment

import (
	"strings"
	"testing"
)

// A host that cannot be connected is left out, with the reason, and it is an error if none is left.
func TestSkipUnreachable(t *testing.T) {
	h := Hosts{List: "localhost,nobody.invalid:2", Copy: "auto", SSH: "false", Skip: true}
	hosts, about, err := h.Find(t.Context())
	if err != nil || len(hosts) != 1 || hosts[0] != "localhost" || !strings.Contains(about, "nobody.invalid (false ended with code 1)") {
		t.Errorf("%v, %q, %v", hosts, about, err)
	}
	h = Hosts{List: "nobody.invalid", Copy: "auto", SSH: "false", Skip: true}
	if _, _, err := h.Find(t.Context()); err == nil || !strings.Contains(err.Error(), "no host can be connected") {
		t.Errorf("no host is left: %v", err)
	}
	if _, _, err := (&Hosts{List: "a,b", File: "c", Copy: "auto"}).Find(t.Context()); err == nil {
		t.Error("a list and a file of hosts are taken")
	}
}
