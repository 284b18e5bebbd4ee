package record

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleLaunch() *Launch {
	return &Launch{
		Run: "20261121T120000Z-0badcafe", Time: testTime, Sweep: "ci", Plan: "00c0ffee00c0ffee", Command: []string{"p2p", "--transport=smem"},
		Version: "v1", Build: "0badcafe0badcafe", Host: "node1", Launch: 2, Block: 2, Seed: 42, Points: 5, Duration: 1.5,
	}
}

func TestLaunchesAreReadBack(t *testing.T) {
	var out bytes.Buffer
	if err := NewWriter(&out).WriteLaunch(sampleLaunch()); err != nil {
		t.Fatal(err)
	}
	f, err := Read(&out)
	want := sampleLaunch()
	want.Schema, want.Kind = Schema, KindLaunch
	if d := cmp.Diff([]Launch{*want}, f.Launches); err != nil || d != "" || len(f.Warnings) > 0 {
		t.Errorf("%v, %q, %s", err, f.Warnings, d)
	}
}

func TestAnInvalidLaunchIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(l *Launch){
		"no run": func(l *Launch) { l.Run = "" }, "no command": func(l *Launch) { l.Command = nil },
		"launch 0": func(l *Launch) { l.Launch = 0 }, "negative": func(l *Launch) { l.Points = -1 },
	} {
		l := sampleLaunch()
		change(l)
		var out bytes.Buffer
		if err := NewWriter(&out).WriteLaunch(l); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, out.Len())
		}
	}
}
