package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHang(t *testing.T) {
	const body = "a message there and one back, blocking"
	for width, want := range map[int]string{
		0: "  pingpong  a message there and one back, blocking\n",
		32: "  pingpong  a message there and\n" +
			"            one back, blocking\n",
		1: "  pingpong  a message there and\n" + // no narrower than 20 characters of text
			"            one back, blocking\n",
	} {
		if diff := cmp.Diff(want, Hang("  pingpong  ", body, width)); diff != "" {
			t.Errorf("width %d (-want +got):\n%s", width, diff)
		}
	}
	if got := Hang("  empty  ", "", 80); got != "  empty\n" {
		t.Errorf("got %q", got)
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := Of(f); got != (Terminal{}) {
		t.Errorf("a file is %+v", got)
	}
	if got := Of(&bytes.Buffer{}); got != (Terminal{}) {
		t.Errorf("a buffer is %+v", got)
	}
}
