// Package rerun repeats measurements on this machine.
package rerun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/launch/child"
	"gobench/internal/launch/detect"
	"gobench/internal/report/document"
)

// Options configure Run and Capsule.
type Options struct {
	Directory string            // in which the commands run and write their records
	Tolerance float64           // of Capsule: replaces that of the claims; 0 = theirs
	Progress  func(line string) // called with each command before it runs
	Stderr    io.Writer         // of the commands
	More      []string          // arguments that each command of gobench gets in addition
}

// Run runs steps without a shell, gobench as this program. It goes on after a step that fails, and
// returns an error for each step that did not run to its end, which wraps the *child.ExitError of a
// command that failed. The second error is ctx.Err, or about a file that cannot be written.
func Run(ctx context.Context, steps []document.Step, o Options) (failed []error, err error) {
	byHand := false
	for _, s := range steps {
		switch {
		case s.Shell != "": // before and behind ranks that were started by hand
			if byHand = !byHand; byHand {
				failed = append(failed, errors.New("ranks that were started by hand are not started: reproduce.sh has their commands"))
			}
		case byHand || s.Words == nil && s.File == "" && s.Directory == "":
		case s.Words == nil:
			if err := o.write(s); err != nil {
				return failed, err
			}
		default:
			line := strings.Join(document.Shell([]document.Step{{Words: s.Words}}), "\n")
			program, args, why := command(s)
			if program == "" {
				args = slices.Concat(args, o.More)
			}
			for i := 0; i < max(1, s.Times) && why == nil; i++ {
				o.Progress(line)
				c := child.Child{Program: program, Args: args, Dir: o.Directory, Foreign: program != "", Stdout: io.Discard, Stderr: o.Stderr}
				if why = c.Run(ctx); ctx.Err() != nil {
					return failed, ctx.Err()
				}
			}
			if _, named := errors.AsType[*child.ExitError](why); why != nil && !named {
				why = fmt.Errorf("%s: %w", line, why)
			}
			if why != nil {
				failed = append(failed, why)
			}
		}
	}
	return failed, nil
}

// write writes the file, or makes the directory, of a step.
func (o Options) write(s document.Step) error {
	for _, name := range []string{s.File, s.Directory} {
		if name != "" && !filepath.IsLocal(name) {
			return fmt.Errorf("the records name the file %q, which is not below the directory of the repetition", name)
		}
	}
	if s.Directory != "" {
		return os.MkdirAll(filepath.Join(o.Directory, s.Directory), 0o777)
	}
	name := filepath.Join(o.Directory, s.File)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(strings.Join(s.Lines, "\n")+"\n"), 0o666)
}

// command returns the program of a step, "" for this one, and its arguments, or why it cannot run.
func command(s document.Step) (program string, args []string, why error) {
	words := slices.Clone(s.Words)
	if words[0] == s.Program {
		return "", words[1:], nil
	}
	// What the flags of a launcher, or of gobench, name is not checked: they may name programs.
	if !slices.ContainsFunc(detect.Bootstraps, func(b detect.Bootstrap) bool { return slices.Contains(b.Programs, path.Base(words[0])) }) {
		return "", nil, fmt.Errorf("%s is no launcher that gobench knows", words[0])
	}
	own, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	for i, word := range words {
		if word == "" || strings.HasSuffix(word, "=") {
			return "", nil, errors.New("values of environment variables are not recorded: reproduce.sh has the commands")
		}
		if word == s.Program {
			words[i] = own
		}
	}
	if program, err = exec.LookPath(words[0]); err != nil {
		return "", nil, err
	}
	return program, words[1:], nil
}
