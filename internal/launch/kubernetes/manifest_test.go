package kubernetes

import (
	"errors"
	"strings"
	"testing"

	"gobench/internal/remedy"
)

var usual = Manifest{Kind: "kubernetes", CPU: "2", Memory: "1Gi", Name: "gobench", Image: "registry/gobench", Nodes: 4, Port: 7575, Command: []string{"gobench", "p2p"}}

// The manifest has what a pod needs to become a rank, and a secret of its own.
func TestManifest(t *testing.T) {
	m := usual
	m.Resources = []string{"rdma/hca_shared_devices_a=1"}
	var texts [2]strings.Builder
	for i := range texts {
		if err := m.Write(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"completions: 4\n", `value: "gobench-0.gobench:7575"`, `"rdma/hca_shared_devices_a": "1"`, "- \"gobench\"\n"} {
		if !strings.Contains(texts[0].String(), want) {
			t.Errorf("no %q in\n%s", want, texts[0].String())
		}
	}
	if texts[0].String() == texts[1].String() {
		t.Error("two manifests have the same secret")
	}
}

// A wrong parameter is named, and nothing is written.
func TestWrongParameters(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"name":     func(m *Manifest) { m.Name = "Go bench" },
		"image":    func(m *Manifest) { m.Image = "" },
		"nodes":    func(m *Manifest) { m.Nodes = 1 },
		"cpu":      func(m *Manifest) { m.CPU = "two" },
		"ttl":      func(m *Manifest) { m.Keep = -1 },
		"port":     func(m *Manifest) { m.Port = 65536 },
		"ipc-lock": func(m *Manifest) { m.Kind, m.LockMemory = "mpijob", true },
		"resource": func(m *Manifest) { m.Resources = []string{"gpu"} },
	} {
		m := usual
		change(&m)
		var text strings.Builder
		err := m.Write(&text)
		if wrong, ok := errors.AsType[*remedy.Error](err); !ok || wrong.Options[0].Name != name || text.Len() > 0 {
			t.Errorf("%s: %v, written %q", name, err, text.String())
		}
	}
}
