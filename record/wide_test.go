package record

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

// A file of records that PowerShell redirected to UTF-16 has the rows of the original, whatever the
// order of the bytes is, and a row that was cut off is left out.
func TestRecordsInUTF16(t *testing.T) {
	p := samplePoint()
	p.Method = "median of 3 μs 𝒙" // of one and of two units
	var b bytes.Buffer
	w := NewWriter(&b)
	for n := range 4000 { // more than a block
		p.Size = int64(n)
		succeed(t, w.WritePoint(p))
	}
	text := b.String()
	plain, err := Read(strings.NewReader(text))
	if err != nil || len(plain.Points) != 4000 {
		t.Fatal(len(plain.Points), err)
	}
	for name, c := range map[string]struct {
		mark string
		big  bool
		cut  int // bytes
	}{"little": {"\ufeff", false, 0}, "big": {"\ufeff", true, 0}, "without a mark": {"", false, 0}, "big without a mark": {"", true, 0}, "cut off": {"\ufeff", false, 7}} {
		var wide []byte
		for _, u := range utf16.Encode([]rune(c.mark + strings.ReplaceAll(text, "\n", "\r\n"))) {
			if c.big {
				wide = append(wide, byte(u>>8), byte(u))
			} else {
				wide = append(wide, byte(u), byte(u>>8))
			}
		}
		path := filepath.Join(t.TempDir(), "wide.jsonl")
		succeed(t, os.WriteFile(path, wide[:len(wide)-c.cut], 0o600))
		want := plain.Points
		if c.cut > 0 {
			want = want[:len(want)-1]
		}
		if f, err := ReadFile(path); err != nil || !reflect.DeepEqual(f.Points, want) || (len(f.Warnings) > 0) != (c.cut > 0) {
			t.Errorf("%s: %d points, %v, %q", name, len(f.Points), err, f.Warnings)
		}
	}
}
