package style_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gobench/internal/report/style"
)

// Each setting takes what its usage says, and refuses the rest with a sentence that names it.
func TestSettings(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"width", "column", ""}, {"width", "88mm", ""}, {"width", "3.5in", ""}, {"width", "3", "no length"}, {"width", "2cm", "too narrow"}, {"width", "NaNcm", "no length"},
		{"height", "5cm", ""}, {"height", "-5cm", "no length"},
		{"font", "serif", ""}, {"font", "papyrus", "none of sans, serif, mono"},
		{"font-size", "7", ""}, {"font-size", "6.9", "want 7 to 40"}, {"font-size", "NaN", "no size"},
		{"bare", "true", ""}, {"bare", "perhaps", "invalid syntax"},
		{"legend", "none", ""}, {"legend", "left", "none of top"},
		{"y", "b:linear,0..20", ""}, {"y", "0.5..", ""}, {"y", "ab:log", "no letter"}, {"y", "cubic", "neither linear nor log"}, {"y", "5..1", "not below"}, {"y", "x..1", "no number"},
		{"series", "smem=shared:blue,tcp, 4 ranks", ""}, {"series", "smem:#12", "no colour"}, {"series", "", "empty"},
		{"colour", "red", "no setting"},
	} {
		err := new(style.Sheet).Set(c.name, c.value)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name)):
			t.Errorf("%s=%s: error %v, want %q", c.name, c.value, err, c.want)
		}
	}
}

// A style file sets what flags set; a mistake names the file.
func TestStyleFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paper.toml")
	read := func(text string) (s style.Sheet, err error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err = s.Read(path)
		return s, err
	}
	s, err := read("width = \"8cm\"\nbare = true\nfont-size = 9\nseries = [\"tcp, 2 ranks=TCP\", \"*\"]\ny = \"a:log\"\n")
	if err != nil || s.Width != 8*vg.Centimeter || !s.Bare || s.Size != 9 || len(s.Series) != 2 || s.Series[0].Text != "tcp, 2 ranks=TCP" || len(s.Y) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"widht = \"8cm\"", "width = [\"8cm\", \"9cm\"]", "width = \"wide\"", "width ="} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
