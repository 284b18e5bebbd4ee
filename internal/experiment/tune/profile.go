package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gobench/comm/coll"
	"gobench/device/profile"
	"gobench/internal/launch/host"
	"gobench/internal/sharedmem"
)

// Stored returns the profile of this machine that an earlier command has kept, for people: nil if
// there is none. digest identifies the program.
func Stored(digest string) (path string, p *profile.Profile) {
	machine := Fingerprint(digest)
	path = ProfilePath(machine)
	if t, err := coll.Load(path, coll.Machine{Fingerprint: machine}); err == nil {
		p = &profile.Profile{Machine: machine, Choices: t.Choices}
	}
	return path, p
}

// A Profiler finds the profile of this machine: in the file that the user names, in the cache
// dir of the user, or by trials, which it keeps there.
type Profiler struct {
	Machine string // Fingerprint
	// Lacks reports whether the profile lacks choices for the cores as they are now: a hypervisor
	// moves them, and only what is there can be tried.
	Lacks func(*profile.Profile) bool
	// Try measures the choices that known, which may be nil, has not settled. It may take some
	// seconds. nil = nothing is measured or kept: only choices of a file that the user names hold.
	Try func(ctx context.Context, known *profile.Profile) ([]profile.Choice, error)
	Say func(line string) // for people: what happens, and what does not work
	// Again means that this command has found a profile before: the one that is kept is used as it
	// is.
	Again bool
}

// Find returns the profile, nil if the user wants no profile. flag is the value of --profile. A
// profile that cannot be read is replaced, one whose trials were disturbed is measured again, and
// one that cannot be kept is used. It returns an error only if ctx has ended: without trials, the
// usual implementations hold.
func (p *Profiler) Find(ctx context.Context, flag string) (*profile.Profile, error) {
	want := given(flag)
	switch want {
	case None:
		return nil, nil
	case "", Renew:
	default:
		t, err := coll.Load(want, coll.Machine{Fingerprint: p.Machine})
		if err == nil && len(t.Choices) > 0 {
			return &profile.Profile{Machine: t.Made.Fingerprint, Choices: t.Choices}, nil
		}
		if stale, ok := errors.AsType[*coll.StaleError](err); ok && stale.What == "machine" {
			p.Say(err.Error()) // all else is wrong with the table, too, and Load tells
		}
	}
	if p.Try == nil {
		return nil, nil
	}
	path := ProfilePath(p.Machine)
	before, _ := os.Stat(path)
	old, ok := p.read(path, p.Again)
	if ok && want != Renew {
		return old, nil
	}
	release, err := lock(path)
	if err != nil {
		p.Say(fmt.Sprintf("the profile of this machine cannot be kept, and holds for this command only: %v", err))
	} else {
		defer release()
		if want != Renew {
			// Another command or host may have made it meanwhile. If that was disturbed, so would
			// this be, and each of many hosts would repeat it.
			now, _ := os.Stat(path)
			if old, ok = p.read(path, p.Again || !os.SameFile(before, now)); ok {
				return old, nil
			}
		}
	}
	p.Say("the profile of this machine is being measured, once (up to 3 s)")
	known := old // what is settled is not measured again: trials of a busy machine end after some commands
	if want == Renew {
		known = nil
	}
	choices, failed := p.Try(ctx, known)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case failed != nil:
		p.Say(fmt.Sprintf("the profile of this machine cannot be measured, so the usual methods are used: %v", failed))
		return old, nil
	}
	made := old.Improved(choices)
	if want == Renew {
		made = old.With(choices)
	}
	made.Machine = p.Machine
	if made.Disturbed() {
		p.Say("other programs have disturbed the measurement of the profile: the next command repeats it")
	}
	if err == nil {
		err = keep(path, made)
		if err != nil {
			p.Say(fmt.Sprintf("the profile of this machine cannot be kept, and holds for this command only: %v", err))
		}
	}
	return made, nil
}

// read returns the profile at a path, and whether it can be used, as it is or if nothing has to be
// measured again. One that was disturbed is returned all the same.
func (p *Profiler) read(path string, asIs bool) (*profile.Profile, bool) {
	if path == "" {
		return nil, false
	}
	t, err := coll.Load(path, coll.Machine{Fingerprint: p.Machine})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		p.Say(err.Error())
		return nil, false
	}
	found := &profile.Profile{Machine: t.Made.Fingerprint, Choices: t.Choices}
	return found, len(found.Choices) > 0 && (asIs || !found.Disturbed() && !p.Lacks(found))
}

// ProfilePath returns the path of the profile of a machine, "" if there is no directory for it.
func ProfilePath(machine string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(machine))
	return filepath.Join(dir, "gobench", "profile-"+hex.EncodeToString(sum[:8])+".toml")
}

// forgotten is the age at which the profile of another build of gobench, of which nobody may know
// any more, is removed. If it is still used, it is measured again.
const forgotten = 90 * 24 * time.Hour

// keep writes a profile, and removes those that are forgotten.
func keep(path string, p *profile.Profile) error {
	for _, pattern := range []string{"profile-*.toml", "profile-*.toml.lock"} {
		old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
		for _, name := range old {
			if about, err := os.Stat(name); err == nil && time.Since(about.ModTime()) > forgotten && !strings.HasPrefix(name, path) {
				os.Remove(name)
			}
		}
	}
	table := coll.Table{Choices: p.Choices, Made: coll.Provenance{Date: time.Now(), Gobench: host.Version(), Machine: coll.Machine{Fingerprint: p.Machine}}}
	return table.Save(path)
}

// lock waits until no other command measures the profile at path. The caller calls release.
func lock(path string) (release func(), err error) {
	if path == "" {
		return nil, errors.New("there is no cache directory")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOLCK) {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Fingerprint returns all that a profile of this machine depends on: the processor with its caches,
// the hypervisor, the features of the kernel that trials use, and the program, by its digest.
func Fingerprint(digest string) string {
	f := host.Collect()
	list := []string{fingerprint(f)}
	if f.CPU.Threads != nil {
		list = append(list, fmt.Sprintf("%d threads", *f.CPU.Threads))
	}
	attach := "without"
	if sharedmem.Attaches() {
		attach = "with"
	}
	return strings.Join(append(list, "hypervisor "+f.Hypervisor, attach+" process_vm_readv", "program "+digest), ", ")
}
