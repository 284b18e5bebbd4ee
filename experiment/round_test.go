package experiment

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gobench/comm/coll"
)

// A process can be started with the largest tables, and its rank has all of their rules.
func TestRanksGetALargeTable(t *testing.T) {
	var text strings.Builder
	text.WriteString("version = 1\n")
	for i := range 6000 {
		fmt.Fprintf(&text, "[[rule]]\noperation = \"allreduce\"\ntransport = \"tcp\"\nranks = %d\nbytes = %d\nalgorithm = \"ring\"\n", i/60+2, 1+i*i%100003)
	}
	typed, err := coll.Decode([]byte(text.String()), "large.toml")
	if err != nil {
		t.Fatal(err)
	}
	var n round
	if n.Table, err = newTableText(typed); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "printf %s \"$"+seriesVariable+"\"")
	cmd.Env = append(cmd.Environ(), n.variable())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(seriesVariable, string(out))
	n, _, err = roundOfEnv()
	if err != nil {
		t.Fatal(err)
	}
	got, err := n.table(nil)
	if err != nil || len(got.Rules) != 6000 || got.Origin != typed.Origin {
		t.Errorf("%d rules of %q, %v", len(got.Rules), got.Origin, err)
	}
}
