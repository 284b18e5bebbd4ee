package main

import (
	"context"
	"os/exec"
	"strings"
)

// versions returns one line for each program with its version.
func versions(ctx context.Context, s settings) []string {
	lines := []string{firstLine(ctx, s.gobench, "--version")}
	for _, name := range []string{"openmpi-bin", "mpich", "libucx0", "netpipe-tcp", "gcc"} {
		lines = append(lines, firstLine(ctx, "dpkg-query", "-W", "-f", "${Package} ${Version}", name))
	}
	return lines
}

// firstLine returns the first line of a program's output, or the reason why there is none.
func firstLine(ctx context.Context, args ...string) string {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	if err != nil {
		return strings.Join(args, " ") + ": " + err.Error()
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
