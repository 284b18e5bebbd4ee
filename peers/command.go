package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// programTime bounds one run of one program, including its launcher.
const programTime = 60 * time.Second

// command runs a program in its own process group, so that cancelling ends all its processes, and
// returns its standard output.
func command(ctx context.Context, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := prepare(ctx, env, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w%s", strings.Join(args, " "), err, words(stderr.String()))
	}
	return stdout.String(), nil
}

// prepare creates the command without starting it.
func prepare(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Launchers end their ranks on SIGTERM. Processes that ignore it are killed.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	return cmd
}

// words returns the first and the last line of a program's error output: its own message comes
// first, that of a launcher last.
func words(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "-= \n"); line != "" {
			lines = append(lines, line)
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return ": " + lines[0]
	}
	return ": " + lines[0] + " ... " + lines[len(lines)-1]
}

// stopped reports whether the user ended the run.
func stopped(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
