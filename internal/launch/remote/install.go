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
)

// needMark begins the line by which a host requests the program; its architecture follows.
const needMark = "gobench:need "

// kept is the number of programs that stay in the cache directory of a host: that of the command,
// and those that were run last before it.
const kept = 4

// install is the command of a POSIX shell that runs the program on another host. The program of its
// architecture lies in the cache directory under its SHA-256 sum, which is computed before each
// run: a file that is damaged, or was replaced, is brought again. There is no line end in it,
// because some shells reject those inside quotes.
const install = `umask 77; m=$(uname -m); s=NONE; case $m in SUMSesac; d=${XDG_CACHE_HOME:-$HOME/.cache}/gobench; f=$d/$s; ` +
	`good() { [ -f "$1" ] && [ -O "$1" ] && [ "$(sha256sum <"$1" | cut -c 1-64)" = $s ]; }; ` +
	`if ! good "$f"; then mkdir -p "$d" && t=$(mktemp "$f.XXXXXX") || exit 1; trap "rm -f \"\$t\"" EXIT; trap "exit 1" HUP INT TERM; ` +
	// the length, which the other side sends first; read takes no byte behind the line
	`z=; command -v gzip >/dev/null && z=gzip; echo "NEED$m $z"; read -r n || exit 1; ` +
	`if [ "$z" ]; then head -c "$n" | gzip -dc >"$t"; else head -c "$n" >"$t"; fi || exit 1; ` +
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
	all, err := programs()
	if err != nil {
		return "", err
	}
	text := strings.NewReplacer("SUMS", sums(all), "NONE", strings.Repeat("0", 64), "NEED", needMark, "KEPT", strconv.Itoa(kept+1), "ARGS", args.String()).Replace(install)
	return "exec sh -c " + quoted(text), nil
}

// quoted returns a word of a shell that stands for s. All common shells read it so.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

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
		machine, packer, _ := strings.Cut(strings.TrimSpace(line), " ")
		all, err := programs()
		if err != nil {
			return err
		}
		p := all[machine]
		if p == nil {
			return fmt.Errorf("%w %s, and this gobench is built for %s: %v", errMachine, machine, machines[runtime.GOARCH], missing(machine))
		}
		step(stepCopy)
		if err := p.send(c.in, packer == "gzip"); err != nil {
			return fmt.Errorf("the program could not be copied there: %w", err)
		}
		step(stepAgent)
		if _, line, err = readMark(r, agentMark); err != nil {
			return err
		}
	}
	c.said.Reset() // the banner of an sshd is no reason of what comes
	c.read = io.MultiReader(strings.NewReader(agentMark+line), r)
	return nil
}

// missing returns the remedy if there is no program for a machine.
func missing(machine string) remedy.Text {
	for arch, name := range machines {
		if name == machine {
			return remedy.Textf("put the program of that architecture beside this one, as gobench-linux-%s", arch)
		}
	}
	return remedy.Textf("build one there and use %v", remedy.Set("copy", "never"))
}
