package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestCommandSaysWhatFailed(t *testing.T) {
	_, err := command(t.Context(), []string{"WORD=lost"}, "sh", "-c", "echo it is $WORD >&2; echo more >&2; echo aborted >&2; echo ------- >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "exit status 3: it is lost ... aborted") {
		t.Errorf("got %v, want the status and what the program and its launcher said", err)
	}
	out, err := command(t.Context(), nil, "echo", "fine")
	if err != nil || out != "fine\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestCommandIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := command(ctx, nil, "sleep", "1000"); err == nil {
		t.Error("a cancelled command succeeded")
	}
}

func TestMemoryOfThisProcess(t *testing.T) {
	if m := treeMemory(os.Getpid()); m < 1<<20 {
		t.Errorf("this process holds %.0f bytes, want more than a MiB", m)
	}
}
