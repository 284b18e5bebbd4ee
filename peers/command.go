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

// programTime bounds one run of one program, launcher included.
const programTime = 60 * time.Second

// command runs a program in its own process group, so that nothing of it is
// left when it is stopped, and returns its standard output.
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

// prepare makes the command without starting it.
func prepare(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Launchers end their ranks on SIGTERM; what does not listen is killed.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	return cmd
}

// words are the first and the last line of what a program said: its own words come first, and a
// launcher's after them.
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
