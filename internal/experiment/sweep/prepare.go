package sweep

import (
	"cmp"
	"context"
	"os"
	"slices"

	"gobench/internal/launch/child"
)

// A preparation is what was done for a program before its first launch in this sweep.
type preparation struct {
	dir         string // of its setup, until it has cleaned up
	setUp, warm bool
}

// preparation returns that of a program.
func (r *runner) preparation(key string) (*preparation, error) {
	if p := r.prepared[key]; p != nil {
		return p, nil
	}
	dir, err := os.MkdirTemp("", "gobench-program")
	if err != nil {
		return nil, err
	}
	r.prepared[key] = &preparation{dir: dir}
	return r.prepared[key], nil
}

// ready runs the setup of a program and its runs that do not count, unless they were run.
func (r *runner) ready(ctx context.Context, p *preparation, f *foreign, cores []int, env []string, values map[string]string) error {
	if !p.setUp {
		env := append(slices.Clone(env), "GOBENCH_DIR="+p.dir)
		if err := f.shell(ctx, "setup", f.setup, env); err != nil {
			return err
		}
		p.setUp = true
		r.cleanups = append(r.cleanups, func(ctx context.Context) error { return f.shell(ctx, "cleanup", f.cleanup, env) })
	}
	if p.warm {
		return nil
	}
	for range f.warmup {
		if _, _, err := f.run(ctx, cores, env, values, child.Child{}); err != nil {
			return err
		}
	}
	p.warm = true
	return nil
}

// cleanUp runs what the tables of programs whose setup has run say to run at the end, also after an
// interruption, and removes their directories. It returns the first failure.
func (r *runner) cleanUp(ctx context.Context) (err error) {
	if r.Measured != nil {
		r.Measured()
	}
	for _, cleanup := range r.cleanups {
		err = cmp.Or(err, cleanup(context.WithoutCancel(ctx)))
	}
	for _, p := range r.prepared {
		os.RemoveAll(p.dir)
	}
	return err
}
