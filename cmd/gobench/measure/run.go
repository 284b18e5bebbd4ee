package measure

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"gobench/bench/record"
	"gobench/device"
	"gobench/launch"
	"gobench/launch/host"
)

// Prepare looks whether this machine can do what r asks for, before anything
// is started: it places the ranks on cores and compares the message buffers
// with the memory. Its errors are mistakes of the person who asked.
func (r *Request) Prepare(pin string) error {
	if err := r.Plan.CheckMemory(r.Ranks); err != nil {
		return err
	}
	cores, err := host.Place(r.Ranks, pin)
	r.Cores = cores
	return err
}

// Run starts the ranks on this machine and waits for them. stdout and stderr
// are theirs.
func (r *Request) Run(ctx context.Context, stdout, stderr io.Writer) error {
	for _, t := range r.Transports {
		if err := t.Driver.Probe(); err != nil {
			return err
		}
	}
	if err := r.tryFile(); err != nil {
		return err
	}
	if r.RankKind == "goroutine" {
		return r.goroutines(ctx, stdout, stderr)
	}
	result, err := launch.Local(ctx, launch.Spec{
		Ranks: r.Ranks, Cores: r.Cores, Args: r.Command[1:], Env: os.Environ(),
		Stdout: stdout, Stderr: &onceWriter{w: stderr},
	})
	if err != nil {
		return err
	}
	if result.ExitCode == 0 {
		return nil
	}
	failed := &RanksError{Code: result.ExitCode}
	if result.First >= 0 && result.Ranks[result.First].Signal != 0 && result.Interrupted == nil {
		failed.Told = result.Err().Error() // it had no time to tell
	}
	return failed
}

// tryFile opens the file for records, so that what cannot be written is known
// before anything is measured.
func (r *Request) tryFile() error {
	w, err := record.Open(r.file())
	if err != nil {
		return err
	}
	return w.Close()
}

func (r *Request) file() string {
	if r.File != "" {
		return r.File
	}
	return filepath.Join("results", r.defaultName())
}

func (r *Request) goroutines(ctx context.Context, stdout, stderr io.Writer) error {
	var told error // rank 0 knows best, even where another rank failed first
	err := launch.Goroutines(ctx, r.Ranks, func(ctx context.Context, job device.Job) error {
		core := -1
		if r.Cores != nil {
			core = r.Cores[job.Rank()]
			if err := host.Pin(core); err != nil {
				return err
			}
		}
		err := r.rank(ctx, job, core, stdout, stderr)
		if job.Rank() == 0 {
			told = err
		}
		return err
	})
	var peer *device.PeerError
	if told != nil && !errors.As(told, &peer) && !errors.Is(told, context.Canceled) {
		return told
	}
	return err
}
