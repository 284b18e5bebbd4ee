package rendezvous

import (
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
)

// Join returns this process as a rank of the job that launched it, or nil, nil if it is no rank
// (see detect.FindLauncher), or the only one. If the launcher does not carry the exchanges of its
// ranks, they connect to the address in GOBENCH_MEET with GOBENCH_SECRET, or by a file in the
// user's cache directory, which all hosts must share then. Join waits for all ranks until ctx ends,
// and writes the missing ranks to notes if that takes long.
//
// It may be called once: it takes the launcher's variables out of the environment and keeps the
// launcher's socket from child processes. Called again, or in a child of a rank, it returns a
// *detect.NestedError. Variables that do not fit this process, or each other, are a
// *detect.EnvError; ranks that do not find each other a *MeetError.
func Join(ctx context.Context, warnings io.Writer) (*Rank, error) {
	if inside, ok := os.LookupEnv(detect.EnvInside); ok {
		return nil, &detect.NestedError{Inside: inside}
	}
	return join(ctx, os.LookupEnv, warnings)
}

// FromEnv calls Join without a deadline, with notes on standard error.
func FromEnv() (*Rank, error) { return Join(context.Background(), os.Stderr) }

func join(ctx context.Context, env detect.Lookup, warnings io.Writer) (*Rank, error) {
	if err := contradiction(env); err != nil {
		return nil, err
	}
	b, alone := detect.FindBootstrap(env)
	if b == nil || alone {
		return nil, lonely(env)
	}
	if b.Name == detect.Local {
		return joinLocal()
	}
	rank, err := joinBy(ctx, b, env, warnings)
	if err != nil {
		return nil, err
	}
	rank.warnings = warnings
	step := detect.SlurmStep(env) // begin removes the variables
	if err := rank.begin(ctx); err != nil {
		return nil, err
	}
	if b.Name == detect.PMI && step {
		if err := rank.guard(ctx); err != nil {
			return nil, err
		}
	}
	return rank, nil
}

// begin introduces this rank to the others and takes the launcher's variables out of the
// environment.
func (r *Rank) begin(ctx context.Context) error {
	if err := r.greet(ctx); err != nil {
		return err
	}
	for _, b := range detect.Bootstraps {
		for _, name := range b.Signs {
			os.Unsetenv(name)
		}
	}
	os.Unsetenv(detect.EnvSecret)
	os.Setenv(detect.EnvInside, fmt.Sprintf("rank %d of %d", r.rank, r.size))
	return nil
}

// joinBy makes this process a rank of another launcher.
func joinBy(ctx context.Context, b *detect.Bootstrap, env detect.Lookup, warnings io.Writer) (*Rank, error) {
	if b.Name == detect.PMI {
		return joinPMI(ctx, env)
	}
	bridged := b.Bridged != nil && b.Bridged(env)
	if bridged && !env.Has(detect.EnvMeet) {
		if rank, err := joinBridge(ctx, warnings); rank != nil || err != nil {
			return rank, err
		}
	}
	if b.Refuse != nil {
		name, value, _ := strings.Cut(b.Evidence(env), "=")
		return nil, &detect.EnvError{Variable: name, Value: value, Problem: b.Refuse.String()}
	}
	p, err := b.Read(env)
	if err != nil {
		return nil, err
	}
	w, err := newMeetingPoint(p, env, warnings)
	if err != nil {
		return nil, err
	}
	w.bridge = bridged
	l, err := w.meet(ctx)
	if err != nil {
		return nil, err
	}
	return &Rank{rank: p.Rank, size: p.Size, link: l}, nil
}

// contradiction returns an error if the variables of two launchers give this process different
// ranks. MPICH rejects the same pair as ambiguous.
func contradiction(env detect.Lookup) error {
	if !env.Has("PMIX_NAMESPACE") || detect.OfSlurm(env) || !env.Has("PMI_FD") && !env.Has("PMI_PORT") {
		return nil
	}
	if env.Get("PMI_RANK") == env.Get("PMIX_RANK") && env.Get("PMI_SIZE") == env.Get("OMPI_COMM_WORLD_SIZE") {
		return nil
	}
	return &detect.EnvError{Variable: "PMIX_NAMESPACE", Value: env.Get("PMIX_NAMESPACE"), Problem: fmt.Sprintf(
		"and PMI_SIZE=%s are both set: one launcher was started below the other, and which is meant nobody knows; start gobench by one of them, or take the variables of the other away: env -u PMIX_RANK -u PMIX_NAMESPACE, or env -u PMI_FD -u PMI_PORT",
		env.Get("PMI_SIZE"))}
}

// lonely returns an error if a process that is no rank, or the only one, has variables of a job of
// several processes: each of them would run a job of one rank.
func lonely(env detect.Lookup) error {
	for _, name := range []string{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"} {
		if n := env.Get(name); n != "" && n != "1" {
			return &detect.EnvError{Variable: name, Value: n, Problem: "says that this process is one of several, but what the launcher gives for them to meet is not there (PMI_FD, PMI_PORT or PMIX_RANK): start gobench itself by the launcher, not by a script that takes its variables or files away; or unset " + name}
		}
	}
	return nil
}

// An introduction is the first blob that ranks of another launcher exchange.
type introduction struct {
	Size  int    `json:"size"`
	Build string `json:"build"`
	Host  string `json:"host"`            // the same where ranks share memory
	Name  string `json:"name"`            // of the host
	Cores string `json:"cores,omitempty"` // that this rank may use, as host.FormatCores has them
}

// greet exchanges introductions: it determines which ranks share this host and checks that all run
// the same program.
func (r *Rank) greet(ctx context.Context) error {
	name, _ := os.Hostname()
	cores, _ := host.AllowedCores() // empty if they are not known
	mine, err := json.Marshal(introduction{r.size, build(), host.Identity(), name, host.FormatCores(cores)})
	if err != nil {
		return err
	}
	blobs, err := r.Exchange(ctx, mine)
	if err != nil {
		return err
	}
	all := make([]introduction, len(blobs))
	for rank, blob := range blobs {
		if err := json.Unmarshal(blob, &all[rank]); err != nil {
			return fmt.Errorf("rank %d is no gobench of this version: %w", rank, err)
		}
	}
	own := all[r.rank]
	numbers := map[string]int{}
	for rank, g := range all {
		number, known := numbers[g.Host]
		if !known {
			number = len(r.hosts)
			numbers[g.Host] = number
			r.hosts = append(r.hosts, g.Name)
		}
		r.on = append(r.on, number)
		switch {
		case g.Size != own.Size:
			return &MeetError{fmt.Sprintf("rank %d has %d ranks and rank %d has %d", r.rank, own.Size, rank, g.Size)}
		case g.Build != own.Build:
			return &MeetError{fmt.Sprintf("%s runs another gobench than %s: copy one file to all hosts", device.RankName(rank, g.Name), device.RankName(r.rank, own.Name))}
		}
	}
	if len(cores) == 1 { // a launcher that binds its ranks has chosen
		r.cores = cores
	}
	r.processors = processorsOf(all, own.Host)
	return nil
}

// processorsOf returns how many processors the ranks of a host may use together, 0 if a rank does
// not know its own.
func processorsOf(all []introduction, at string) int {
	cores := map[int]bool{}
	for _, one := range all {
		if one.Host != at {
			continue
		}
		own, err := host.ParseCores(one.Cores)
		if err != nil || len(own) == 0 {
			return 0
		}
		for _, core := range own {
			cores[core] = true
		}
	}
	return len(cores)
}

// build identifies the program of this process: the Go linker writes a digest of the file into it.
func build() string {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	buildID := f.Section(".note.go.buildid")
	if buildID == nil {
		return ""
	}
	text, err := buildID.Data()
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text[min(16, len(text)):]), "\x00") // after the header of the note
}

// Joined makes this process a rank of a job that a library has joined (device.Joiner) instead of
// Join. It finds out which ranks share this host.
func Joined(ctx context.Context, job device.JoinedJob) (*Rank, error) {
	rank := &Rank{rank: job.Rank(), size: job.Size(), link: &joinedLink{job: job}}
	if err := rank.begin(ctx); err != nil {
		return nil, err
	}
	return rank, nil
}

// joinedLink is the link of a rank whose library carries Exchange.
type joinedLink struct {
	job    device.JoinedJob
	failed bool
}

func (l *joinedLink) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	blobs, err := l.job.Exchange(ctx, blob)
	l.failed = l.failed || err != nil
	return blobs, err
}

// Failure implements link: the library's launcher ends all ranks when one is lost.
func (l *joinedLink) Failure() *device.PeerError { return nil }

// Tell implements link: a rank that ends without Close makes the launcher end the others.
func (l *joinedLink) Tell(string) { l.failed = true }

func (l *joinedLink) Close() error {
	if l.job == nil || l.failed {
		return nil
	}
	err := l.job.Close()
	l.job = nil
	if err != nil {
		return fmt.Errorf("the end of the job: %w", err)
	}
	return nil
}
