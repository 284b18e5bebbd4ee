package record

import (
	"fmt"
	"os"
)

// CheckReplace returns an error if a file of results must not be replaced, because it has records:
// rows that only a measurement can write again. Rows over launches (kind "summary") may be lost.
func CheckReplace(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, _ := ReadFile(path) // the rows before what is no row
	if len(f.Runs)+len(f.Points)+len(f.Launches)+len(f.Failures)+len(f.Plans) == 0 {
		return nil
	}
	return fmt.Errorf("%s has records, which would be replaced: name another file", path)
}
