package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"gobench/internal/remedy"
	"gobench/launch/host"
)

// needMark begins the line by which a host requests the program; its architecture follows.
const needMark = "gobench:need "

// kept is the number of programs that stay in the cache directory of a host: that of the command,
// and those that were run last before it.
const kept = 4

// install is the command of a POSIX shell that runs the program on another host. The program lies
// in the cache directory under its SHA-256 sum, which is computed before each run: a file that is
// damaged, or was replaced, is brought again. There is no line end in it, because some shells
// reject those inside quotes.
const install = `umask 77; d=${XDG_CACHE_HOME:-$HOME/.cache}/gobench; f=$d/SUM; ` +
	`good() { [ -f "$1" ] && [ -O "$1" ] && [ "$(sha256sum <"$1" | cut -c 1-64)" = SUM ]; }; ` +
	`if ! good "$f"; then mkdir -p "$d" && t=$(mktemp "$f.XXXXXX") && echo "NEED$(uname -m)" || exit 1; ` +
	`trap "rm -f \"\$t\"" EXIT; trap "exit 1" HUP INT TERM; head -c SIZE >"$t" || exit 1; ` +
	`good "$t" || { echo "the copy of the program did not arrive whole" >&2; exit 1; }; chmod 700 "$t" && mv -f "$t" "$f" || exit 1; trap - EXIT HUP INT TERM; ` +
	// others that were not used for long, and copies that were not completed
	`ls -t "$d" | grep -E "^[0-9a-f]{64}$" | tail -n +KEPT | while read -r o; do rm -f "$d/$o"; done; ` +
	`ls "$d" | grep -E "^[0-9a-f]{64}[.].{6}$" | while read -r o; do find "$d/$o" -mmin +60 -exec rm -f {} \;; done; fi; ` +
	`[ -x "$f" ] || chmod 700 "$f"; [ -x "$f" ] || { echo "$d is on a file system that executes no programs (noexec)" >&2; exit 1; }; ` +
	`touch "$f" 2>/dev/null; exec "$f"ARGS`

// script returns the command line for the other host. A POSIX shell runs it, whatever the user's
// login shell is.
func (how Options) script() (string, error) {
	var args strings.Builder
	for _, a := range how.Args {
		args.WriteString(" " + quoted(a))
	}
	if !how.Copy {
		path, err := os.Executable()
		if err != nil {
			return "", err
		}
		return "exec " + quoted(path) + args.String(), nil
	}
	sum := digest()
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		return "", fmt.Errorf("this program cannot be copied to other hosts: %w", host.NoProc(err))
	}
	if sum == "" {
		return "", remedy.Errorf("this program cannot be copied to other hosts, because this user may not read its file: chmod a+r it, or use %v with the same file under the same path", remedy.Set("copy", "never"))
	}
	text := strings.NewReplacer("SUM", sum, "NEED", needMark, "SIZE", strconv.FormatInt(info.Size(), 10), "KEPT", strconv.Itoa(kept+1), "ARGS", args.String()).Replace(install)
	return "exec sh -c " + quoted(text), nil
}

// quoted returns a word of a shell that stands for s. All common shells read it so.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// machines are the names that uname has for architectures.
var machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "ppc64le": "ppc64le", "s390x": "s390x", "riscv64": "riscv64"}

// errMachine is the error of a host that cannot run this program, which is not sent there.
var errMachine = errors.New("it is a machine of architecture")

// greet sends the program if the host requests it, and returns when the first line of the agent has
// arrived.
func (how Options) greet(c *child, step func(string)) error {
	r := bufio.NewReader(c.out)
	mark, line, err := readMark(r, agentMark, needMark)
	if err != nil {
		return err
	}
	if mark == needMark {
		machine := strings.TrimSpace(line)
		if own := machines[runtime.GOARCH]; own != machine {
			return remedy.Errorf("%w %s, and this gobench is built for %s: build one there and use %v", errMachine, machine, own, remedy.Set("copy", "never"))
		}
		step(stepCopy)
		f, err := os.Open("/proc/self/exe")
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(c.in, f); err != nil {
			return fmt.Errorf("the program could not be copied there: %w", err)
		}
		step(stepAgent)
		if _, line, err = readMark(r, agentMark); err != nil {
			return err
		}
	}
	c.read = io.MultiReader(strings.NewReader(agentMark+line), r)
	return nil
}
