package launchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
	"gobench/internal/launch/signals"
	"gobench/launch"
	"gobench/launch/outcome"
	"gobench/launch/rendezvous"
)

// roles are the programs of ranks in the tests; each returns its exit code.
var roles = map[string]func(context.Context, *rendezvous.Rank) int{
	"abroad":   abroad,
	"exchange": func(ctx context.Context, r *rendezvous.Rank) int { return exchangeRounds(ctx, r, 2, 16) },
	"many":     func(ctx context.Context, r *rendezvous.Rank) int { return exchangeRounds(ctx, r, 2000, 100) },
	"large":    func(ctx context.Context, r *rendezvous.Rank) int { return exchangeRounds(ctx, r, 3, exchange.MaxBlob) },
	"exit7": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			return 7
		}
		return wantLost(ctx, r, 1, "exited with code 7")
	},
	// A launcher that completes exchanges without the lost rank ends the others by its own means.
	"exit7 abroad": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			return 7
		}
		if _, err := r.Exchange(ctx, nil); err == nil {
			return 96
		}
		time.Sleep(Watchdog)
		return 97
	},
	// The others print what they learn.
	"killed abroad":      func(ctx context.Context, r *rendezvous.Rank) int { return killedAbroad(ctx, r, 1) },
	"root killed abroad": func(ctx context.Context, r *rendezvous.Rank) int { return killedAbroad(ctx, r, 0) },
	"killed": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return wantLost(ctx, r, 1, "was killed by signal 9")
	},
	// The launcher makes ranks more likely to be killed than itself, soon after they were started.
	"expendable": func(ctx context.Context, r *rendezvous.Rank) int {
		for ctx.Err() == nil {
			if score, _ := os.ReadFile("/proc/self/oom_score_adj"); string(score) == "500\n" {
				return 0
			}
			time.Sleep(time.Millisecond)
		}
		return 92
	},
	// Rank 0 dies; the others never exchange and never end by themselves.
	"deaf": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 0 {
			return 5
		}
		<-ctx.Done()
		return 91
	},
	// Rank 0 dies; the others notice that, and do not end.
	"undecided": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 0 {
			return 5
		}
		if wantLost(ctx, r, 0, "exited with code 5") == 0 {
			fmt.Printf("ready %d\n", os.Getpid())
		}
		<-ctx.Done()
		return 91
	},
	// Rank 1 is killed while rank 0 computes. Asked to end, that learns why. In the other role
	// a person asks.
	"computing": func(ctx context.Context, r *rendezvous.Rank) int { return asked(ctx, r, true) },
	"asked":     func(ctx context.Context, r *rendezvous.Rank) int { return asked(ctx, r, false) },
	"stubborn": func(ctx context.Context, r *rendezvous.Rank) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		if _, err := r.Exchange(ctx, nil); err != nil { // so that rank 0 dies after the others have begun to ignore
			return 92
		}
		if r.Rank() == 0 {
			return 5
		}
		<-ctx.Done()
		return 91
	},
	"hello": func(ctx context.Context, r *rendezvous.Rank) int {
		chosen := r.Cores() != nil
		if err := r.Pin(); err != nil {
			return 99
		}
		var set unix.CPUSet
		unix.SchedGetaffinity(0, &set)
		var cores []int
		for i := range 1024 {
			if set.IsSet(i) {
				cores = append(cores, i)
			}
		}
		if allowed, err := host.AllowedCores(); err != nil || chosen && len(allowed) <= len(cores) && runtime.NumCPU() > 1 {
			return 98 // the other threads are pinned too
		}
		fmt.Printf("rank %d of %d, local %d, chosen cores %v, pinned to %s\n", r.Rank(), r.Size(), r.LocalSize(), r.Cores(), host.FormatCores(cores))
		return 0
	},
	"interrupt": func(ctx context.Context, r *rendezvous.Rank) int {
		ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT)
		defer stop()
		if _, err := r.Exchange(ctx, nil); err != nil {
			return 92
		}
		fmt.Printf("ready %d\n", os.Getpid())
		<-ctx.Done()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return 91
		}
		fmt.Println("saved")
		return 1
	},
	// Ends by nothing but SIGKILL, and leaves a child that does not either.
	"immune": func(ctx context.Context, r *rendezvous.Rank) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		child := exec.Command("/bin/sleep", "3600")
		if err := child.Start(); err != nil {
			return 98
		}
		if _, err := r.Exchange(ctx, nil); err != nil {
			return 92
		}
		fmt.Printf("ready %d\nready %d\n", os.Getpid(), child.Process.Pid)
		<-ctx.Done()
		return 91
	},
	// Rank 1 leaves, but its process goes on until the others have noticed.
	"leaves": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() > 0 {
			r.Close()
			r.Close()
			if _, err := r.Exchange(ctx, nil); !errors.Is(err, device.ErrClosed) {
				return 99
			}
			io.Copy(io.Discard, os.Stdin)
			<-ctx.Done() // until SIGTERM
			return 91
		}
		return wantLost(ctx, r, 1, "it has left the job") + 1
	},
	// Rank 0 gives up waiting for rank 1, which then cannot exchange either.
	"impatient": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			var b [1]byte
			if _, err := os.Stdin.Read(b[:]); err == nil { // not rank 0: an empty file
				return 99
			}
			return wantLost(ctx, r, 0, "")
		}
		short, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("no patience"))
		_, err := r.Exchange(short, nil)
		_, again := r.Exchange(ctx, nil)
		if err == nil || err.Error() != "exchange among the ranks was given up: no patience" || again != err {
			fmt.Fprintln(os.Stderr, err, again)
			return 99
		}
		return 0
	},
	"garbage": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			syscall.Write(Sockets(true)[0], []byte("garbage, and more of it"))
			<-ctx.Done()
		}
		return wantLost(ctx, r, 1, "it does not speak the launcher's protocol") + 4
	},
	// Ends well, but leaves a child in its group that holds its output open.
	"litter": func(ctx context.Context, r *rendezvous.Rank) int {
		child := exec.Command("/bin/sleep", "3600")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 98
		}
		fmt.Println(child.Process.Pid)
		return 0
	},
	// Exchanges only when its input has ended.
	"patient": func(ctx context.Context, r *rendezvous.Rank) int {
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 98
		}
		return exchangeRounds(ctx, r, 1, 8)
	},
	// Says what it has inherited, in one line.
	"inherit": func(ctx context.Context, r *rendezvous.Rank) int {
		line := fmt.Sprintf("%d sockets to keep, %d for children,", len(Sockets(true)), len(Sockets(false)))
		for _, name := range []string{"PMI_FD", "PMIX_RANK", "SLURM_PROCID", "SLURM_JOB_ID", "OMPI_COMM_WORLD_RANK", detect.EnvFD, detect.EnvInside, "TWICE"} {
			if value, ok := os.LookupEnv(name); ok {
				line += fmt.Sprintf(" %s=%s", name, value)
			}
		}
		fmt.Println(line)
		return 0
	},
	// A rank that forgets that it is one, and a child of it.
	"nested": func(ctx context.Context, r *rendezvous.Rank) int {
		_, again := rendezvous.FromEnv()
		_, launch := launch.Local(ctx, launch.Spec{Ranks: 2})
		child := exec.Command("/proc/self/exe")
		child.Stdout = os.Stdout
		child.Env = append(os.Environ(), EnvRole+"=report")
		if err := child.Run(); err != nil {
			return 98
		}
		fmt.Printf("again: %v\nlaunch: %v\n", again, launch)
		return 0
	},
	"where": func(ctx context.Context, r *rendezvous.Rank) int {
		fmt.Printf("rank %d on %s, local %d, hosts %v\n", r.Rank(), r.HostName(r.Rank()), r.LocalSize(), r.Hosts())
		return 0
	},
	// Rank 1 fails and leaves the sentence to the launcher.
	"tells": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			r.Tell(errors.New("rank 0 is no good"))
			return 6
		}
		return wantLost(ctx, r, 1, "exited with code 6")
	},
	// Rank 1 comes later than is silently waited for.
	"late": func(ctx context.Context, r *rendezvous.Rank) int {
		if r.Rank() == 1 {
			time.Sleep(exchange.NoticeDelay + time.Second)
		}
		if _, err := r.Exchange(ctx, nil); err != nil {
			return 92
		}
		return 0
	},
	"chatter": func(ctx context.Context, r *rendezvous.Rank) int {
		for ctx.Err() == nil {
			if _, err := fmt.Println("chatter"); err != nil {
				return 7
			}
		}
		return 91
	},
	"sleep": func(ctx context.Context, r *rendezvous.Rank) int {
		if _, err := r.Exchange(ctx, nil); err != nil {
			return 92
		}
		fmt.Printf("ready %d\n", os.Getpid())
		<-ctx.Done()
		return 91
	},
}

// Sockets returns the open ones of this process beside stdin, stdout and stderr,
// by whether they are closed on exec.
func Sockets(closeOnExec bool) (list []int) {
	for fd := 3; fd < 1024; fd++ {
		var stat unix.Stat_t
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFSOCK && (flags&unix.FD_CLOEXEC != 0) == closeOnExec {
			list = append(list, fd)
		}
	}
	return list
}

// exchangeRounds checks what it gets from the other ranks, and that they keep
// what they own.
func exchangeRounds(ctx context.Context, r *rendezvous.Rank, rounds, size int) int {
	for round := range rounds {
		blobs, err := r.Exchange(ctx, pattern(r.Rank(), round, size))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 93
		}
		for rank, blob := range blobs {
			if !bytes.Equal(blob, pattern(rank, round, size)) {
				fmt.Fprintf(os.Stderr, "round %d: wrong blob of rank %d\n", round, rank)
				return 94
			}
		}
		if len(blobs) != r.Size() {
			return 95
		}
	}
	return 0
}

// pattern has another length for every rank.
func pattern(rank, round, size int) []byte {
	return bytes.Repeat([]byte{byte(rank), byte(round), byte(round >> 8)}, size/3)[:size/3*3-rank%3]
}

// asked waits for the signal to end, and wants a failure to be its reason or none.
func asked(ctx context.Context, r *rendezvous.Rank, failure bool) int {
	all := ctx // which the signal does not end: it may come before the exchange has returned
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	if _, err := r.Exchange(all, nil); err != nil {
		return 92
	}
	if r.Rank() == 1 && failure {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if r.Rank() == 0 && !failure {
		syscall.Kill(os.Getppid(), syscall.SIGTERM)
	}
	<-ctx.Done()
	var lost *device.PeerError
	if errors.As(r.Failure(), &lost) != failure || failure && lost.Rank != 1 {
		fmt.Fprintf(os.Stderr, "rank %d was asked to end because of: %v\n", r.Rank(), lost)
		return 93
	}
	return 0
}

// killedAbroad kills one rank while the others exchange.
func killedAbroad(ctx context.Context, r *rendezvous.Rank, victim int) int {
	if r.Rank() == victim {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if _, err := r.Exchange(ctx, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}

// wantLost expects the exchange to fail because of that rank.
func wantLost(ctx context.Context, r *rendezvous.Rank, rank int, cause string) int {
	_, err := r.Exchange(ctx, nil)
	var lost *device.PeerError
	if !errors.As(err, &lost) || lost.Rank != rank || !bytes.Contains([]byte(lost.Cause), []byte(cause)) {
		fmt.Fprintln(os.Stderr, "want the loss of a rank, got:", err)
		return 96
	}
	return 0
}

// launchers are whole launching programs: for tests in which the launcher itself
// is signalled or killed.
var launchers = map[string]func() int{
	"launch-sleep":     func() int { return launcher("sleep") },
	"launch-interrupt": func() int { return launcher("interrupt") },
	"stops":            stopsRole,
	"launch-immune":    func() int { return launcher("immune") },
	// Rank 0 has died when the launcher is interrupted.
	"launch-undecided": func() int { return launcher("undecided") },
	"report": func() int {
		_, err := rendezvous.FromEnv()
		fmt.Println("child:", err)
		return 0
	},
	// Starts as a rank whose own main has forgotten to ask FromEnv.
	"forgetful": func() int {
		_, err := launch.Local(context.Background(), launch.Spec{Ranks: 2})
		fmt.Println(err)
		return 0
	},
}

// stopsRole receives a stop, then none, and then one again.
func stopsRole() int {
	for range 2 {
		s := signals.NotifyStops()
		fmt.Println("ready", os.Getpid())
		<-s.C
		s.End()
		fmt.Println("ready", os.Getpid())
		os.Stdin.Read(make([]byte, 1))
	}
	return 0
}

func launcher(role string) int {
	spec := Spec(role, 3)
	spec.Linger = time.Hour
	result, err := launch.Local(context.Background(), spec)
	return Launched(result, err)
}

// Launched prints what has interrupted a job, and returns its exit code.
func Launched(result *outcome.Result, err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97
	}
	fmt.Println("interrupted by", result.Interrupted)
	return result.ExitCode
}

// abroad is the role of ranks that other launchers start on several hosts: they exchange blobs of
// many lengths, and rank 0 says where they all are.
func abroad(ctx context.Context, r *rendezvous.Rank) int {
	for round := range 6 {
		blob := func(rank int) []byte {
			n := rand.New(rand.NewPCG(uint64(rank), uint64(round))).IntN(4000)
			return bytes.Repeat([]byte{byte(rank)}, n)
		}
		all, err := r.Exchange(ctx, blob(r.Rank()))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		for rank := range all {
			if !bytes.Equal(all[rank], blob(rank)) {
				fmt.Fprintf(os.Stderr, "rank %d: the blob of rank %d is wrong\n", r.Rank(), rank)
				return 3
			}
		}
	}
	if r.Rank() == 0 {
		var names []string
		for rank := range r.Size() {
			names = append(names, r.HostName(rank))
		}
		fmt.Printf("%d ranks on %s, %d on mine\n", r.Size(), strings.Join(names, " "), r.LocalSize())
	}
	return 0
}
