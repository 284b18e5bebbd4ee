package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what gen writes: run go generate in internal/simd", name)
		}
	}
}
