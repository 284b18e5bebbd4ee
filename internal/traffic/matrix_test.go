package traffic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadMatrix(t *testing.T) {
	file := filepath.Join(t.TempDir(), "matrix")
	for text, want := range map[string]string{
		"0 10\n20,0\n": "", "0 1\n2 0 3\n": "square", "0 x\n0 0\n": "line 1", "0\n": "1 rows", "0 -1\n0 0": "line 1",
	} {
		os.WriteFile(file, []byte(text), 0o600)
		m, err := ReadMatrix(file, 64<<20)
		if want == "" {
			if err != nil || m[1][0] != 20 {
				t.Errorf("%q: %v, %v", text, m, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
