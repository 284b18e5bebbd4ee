package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Rivals take as many samples as gobench took, of as many operations timed together.
func TestRivalsSampleAsGobenchDoes(t *testing.T) {
	p := newPlan()
	p.set("smem", cell{pingpong, 8}, sampling{13433, 16})
	p.set("smem", cell{pingpong, 1 << 20}, sampling{300, 0}) // a record that says nothing: one
	p.set("smem", cell{pingpong, 64}, sampling{})
	p.set("smem", cell{"bcast", 8}, sampling{123, 100})
	if got := p.sizes("smem", []int{8, 64, 1 << 20}); got != "8:13433:16,64:1000:1,1048576:300:1" {
		t.Error(got)
	}
	if got := p.sizes("tcp", []int{8}); got != "8:1000:1" {
		t.Error(got)
	}
	if got := p.collectives("smem", []cell{{"barrier", 0}, {"bcast", 8}, {"bcast", 1 << 20}}); got != "barrier:0:100:1000,bcast:8:100:123,bcast:1048576:3:1000" {
		t.Error(got)
	}
}

func TestGobenchIsFirst(t *testing.T) {
	if got := first([]int{3, 1, 4, 0, 2}, func(i int) bool { return i%2 == 0 }); !slices.Equal(got, []int{4, 0, 2, 3, 1}) {
		t.Error(got)
	}
}

// Rank 0 of a forked pair prints its results if rank 1 exited normally before it, and exits if rank 1
// failed.
func TestTwinsThatEndFirst(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	program := filepath.Join(t.TempDir(), "twins")
	if out, err := exec.Command("cc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-o", program, "c/twins_check.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range 20 {
		if out, err := command(t.Context(), nil, program, "0"); err != nil || out != "measured\ndone\n" {
			t.Fatalf("%v, %q", err, out)
		}
	}
	for code, want := range map[string]string{"7": "exit status 7: rank 1 died", "-1": "exit status 1: rank 1 died"} {
		if _, err := command(t.Context(), nil, program, code); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
