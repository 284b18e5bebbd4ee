package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
)

// Options holds the options of Connect.
type Options struct {
	// SSH is a command line to which a host and a command are appended; "" = ssh. Options of ssh
	// are added only if the command is an ssh.
	SSH string
	// Copy installs this program on hosts that do not have it; otherwise it must exist there under
	// the same path.
	Copy bool
	// Args make this program call Agent on its standard input and output; nil if "agent" does.
	Args []string
	// Notice, if not nil, is called with a line about hosts that are not connected yet, and about
	// names of one host.
	Notice func(string)
	// Skip, if not nil, is called with each host that cannot take part, in the order of the hosts.
	// The others are connected without it; it is an error if there are none.
	Skip func(*MemberError)
	// Timeout limits the time of a login, and that of the start of the agent after it; 0 = a
	// minute.
	Timeout time.Duration

	width int // hosts that one process connects, in tests; 0 = see fan
}

const (
	// loginTimeout limits the time of a login, which ssh does not limit once the host has let the
	// user in, and that of the start of the agent after it.
	loginTimeout = time.Minute
	// loginParts are the intervals in which it is counted, so that the time for which this process
	// is stopped does not count.
	loginParts = 60
)

// Steps of connecting a host.
const (
	stepLogin = "connecting by ssh"
	stepCopy  = "copying the program" // whose time the network determines
	stepAgent = "starting the agent"
)

const (
	// atOnce is the number of hosts that are connected at the same time.
	atOnce = 32
	// noticeAfter is the interval of notices about hosts that are not connected yet.
	noticeAfter = 10 * time.Second
)

// sshOptions: no X11, no terminal, no question, a connection of the user's is used but none is
// offered to other programs, which would end with it, and a bounded time for a host that does not
// answer.
var sshOptions = []string{"-x", "-T", "-o", "BatchMode=yes", "-o", "ControlMaster=no", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}

// Connect starts an agent on each host, by ssh or, on this host, directly. Many hosts are connected
// in a tree: agents connect further ones, which the root reaches through them. The errors are
// *MemberErrors, joined.
func Connect(ctx context.Context, hosts []hostlist.Host, how Options) (*Cluster, error) {
	if how.Args == nil {
		how.Args = []string{"agent"}
	}
	steps := &steps{of: make([]string, len(hosts))}
	stop := steps.watch(hosts, how.Notice)
	defer stop()
	parent := parents(len(hosts), how.fan(len(hosts)))
	for i, p := range parent {
		if p >= 0 {
			steps.set(i, "behind "+hosts[p].Name)
		}
	}
	c := &Cluster{notice: how.Notice, skip: how.Skip}
	connected := make([]*connection, len(hosts))
	beats := int32(agentBeats)
	for begin, end := 0, 0; begin < len(hosts); begin = end {
		for end < len(hosts) && parent[end] < begin { // a level of the tree
			end++
		}
		level, errs := how.connect(ctx, hosts[begin:end], beats, func(i int) *connection {
			if p := parent[begin+i]; p >= 0 {
				return connected[p]
			}
			return nil
		}, func(i int, step string) { steps.set(begin+i, step) })
		if err := c.add(level, errs); err != nil {
			return nil, err
		}
		copy(connected[begin:], level)
		beats += levelBeats
	}
	if len(c.agents) == 0 {
		return nil, fmt.Errorf("none of %d hosts can be connected", len(hosts))
	}
	c.prune()
	c.leave = c.attend()
	return c, nil
}

// connect starts the agents of the hosts of one level, each by that of the level before that via
// returns, and greets them. A host has an agent or an error.
func (how Options) connect(ctx context.Context, hosts []hostlist.Host, beats int32, via func(int) *connection, step func(int, string)) (agents []*connection, errs []error) {
	agents = make([]*connection, len(hosts))
	errs = make([]error, len(hosts))
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i, h := range hosts {
		wait.Go(func() {
			dial := func() (Member, error) {
				slots <- struct{}{}
				defer func() { <-slots }()
				return how.dial(ctx, h, func(s string) { step(i, s) })
			}
			// Greeted now: the login of another host may take longer than an agent waits for the
			// root.
			m, err := how.reach(ctx, via(i), h, func(s string) { step(i, s) }, dial)
			if err != nil {
				errs[i] = &MemberError{h.Name, err.Error()}
			} else {
				agents[i], errs[i] = greetAgent(m, beats)
			}
			step(i, "")
		})
	}
	wait.Wait()
	return agents, errs
}

// dial starts the agent of one host and returns the stream to it, with the greeting unread.
func (how Options) dial(ctx context.Context, h hostlist.Host, step func(string)) (Member, error) {
	if ctx.Err() != nil {
		return Member{}, context.Cause(ctx)
	}
	if ThisHost(ctx, h.Name) {
		step(stepAgent)
		c, err := startChild(ownProgram, how.Args)
		if err != nil {
			return Member{}, err
		}
		return Member{h, c, c.wait}, nil
	}
	step(stepLogin)
	script, err := how.script()
	if err != nil {
		return Member{}, err
	}
	c, err := how.login(h, script)
	if err != nil {
		return Member{}, err
	}
	c.brings = how.Copy
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	timeout, at := cmp.Or(how.Timeout, loginTimeout), stepLogin
	var late atomic.Bool
	var left atomic.Int32 // intervals
	left.Store(loginParts)
	greeted := make(chan struct{})
	go func() {
		ticks := time.NewTicker(timeout / loginParts)
		defer ticks.Stop()
		for left.Add(-1) >= 0 {
			select {
			case <-greeted:
				return
			case <-ticks.C:
			}
		}
		late.Store(true)
		c.Close()
	}()
	err = how.greet(c, func(s string) {
		if at = s; s == stepCopy {
			left.Store(math.MaxInt32)
		} else {
			left.Store(loginParts)
		}
		step(s)
	})
	close(greeted)
	if err != nil {
		c.Close()
		switch said := c.wait(); {
		case late.Load():
			err = fmt.Errorf("%s there takes more than %v: its sshd or file system may be stopped, or the login asks something, which nobody can answer here; try %s %s true", at, timeout, cmp.Or(how.SSH, "ssh"), h.Name)
		case errors.Is(err, errMachine):
		case said != "" && (err == errNoAgent || c.remedied()):
			err = errors.New(said)
		case said != "": // perhaps the banner of its sshd alone
			err = fmt.Errorf("%w; it says: %s", err, said)
		}
		return Member{}, err
	}
	return Member{h, c, c.wait}, nil
}

// login starts a command on another host.
func (how Options) login(h hostlist.Host, script string) (*child, error) {
	command := strings.Fields(how.SSH)
	if len(command) == 0 {
		command = []string{"ssh"}
	}
	if filepath.Base(command[0]) == "ssh" {
		command = append(command, sshOptions...)
	}
	return startChild(command[0], append(command[1:], h.Name, script))
}

// lookTimeout limits the time of a login of Look.
const lookTimeout = 5 * time.Second

// Look logs in to the other hosts and starts nothing there. It returns the *MemberErrors of those
// where that fails or has not ended within lookTimeout of its begin, joined, or why ctx has ended.
func (how Options) Look(ctx context.Context, hosts []hostlist.Host) error {
	timeout := cmp.Or(how.Timeout, lookTimeout)
	errs := make([]error, len(hosts))
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i, h := range hosts {
		wait.Go(func() {
			slots <- struct{}{}
			free := sync.OnceFunc(func() { <-slots })
			defer free()
			if ThisHost(ctx, h.Name) {
				return
			}
			ctx, cancel := context.WithTimeout(ctx, timeout) // from its turn on
			defer cancel()
			late := &MemberError{h.Name, fmt.Sprintf("it has not let this user in within %v", timeout)}
			if errs[i] = late; ctx.Err() != nil {
				return
			}
			c, err := how.login(h, "exit 0")
			if err != nil {
				errs[i] = &MemberError{h.Name, err.Error()}
				return
			}
			defer c.Close()
			select {
			case <-c.ended:
				if errs[i] = nil; !c.cmd.ProcessState.Success() {
					errs[i] = &MemberError{h.Name, c.wait()}
				}
			case <-ctx.Done():
				free() // the others need not wait for its end
				c.Close()
				c.wait()
			}
		})
	}
	if wait.Wait(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(errs...)
}

// lookupTimeout is the time-out for the addresses of a name; ssh looks them up itself.
const lookupTimeout = 2 * time.Second

// ThisHost reports whether a name certainly denotes the host of this process: its own name,
// localhost, or a name whose addresses all belong to its interfaces.
func ThisHost(ctx context.Context, name string) bool {
	if strings.Contains(name, "@") {
		return false
	}
	if name == "localhost" {
		return true
	}
	if own, err := os.Hostname(); err == nil && own == name {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, name)
	if err != nil || len(ips) == 0 {
		return false
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(ips, func(ip net.IPAddr) bool {
		return !slices.ContainsFunc(own, func(a net.Addr) bool { n, ok := a.(*net.IPNet); return ok && n.IP.Equal(ip.IP) })
	})
}

// child is a process with the stream to an agent as its standard input and output.
type child struct {
	brings bool // the program is copied to the host if it is not there
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	read   io.Reader // out, behind what was read before
	closed sync.Once
	ended  chan struct{}
	said   terminal.Tail
}

// ownProgram is the file of this program.
const ownProgram = "/proc/self/exe"

// startChild starts it in a process group of its own: a terminal's Ctrl-C is for this process. An
// agent gets its own session, as sshd gives one to those of other hosts: the kernel shares
// busy cores between sessions (sched_autogroup), so that the ranks of this host would get less.
func startChild(path string, args []string) (*child, error) {
	c := &child{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	c.cmd.Args[0] = filepath.Base(path)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: path != ownProgram, Setsid: path == ownProgram}
	c.cmd.Env = detect.CleanEnv(os.Environ())
	c.cmd.Stderr = &c.said
	c.cmd.WaitDelay = time.Second
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe, which Wait closes before everything is read.
	r, w, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	c.cmd.Stdout = w
	err = c.cmd.Start()
	w.Close()
	if err != nil {
		in.Close()
		r.Close()
		return nil, err
	}
	c.in, c.out, c.read = in, r, r
	go func() {
		c.cmd.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *child) Read(b []byte) (int, error)  { return c.read.Read(b) }
func (c *child) Write(b []byte) (int, error) { return c.in.Write(b) }

// Close closes the pipes, which ends ssh and the agent behind it.
func (c *child) Close() error {
	c.closed.Do(func() {
		c.in.Close()
		c.out.Close()
	})
	return nil
}

// childTimeout is the time-out for the end of ssh once its pipes are closed. It is shorter than
// signals.LastTimeout, because a login may hang when a signal ends the command.
const childTimeout = 2 * time.Second

// wait waits for the end of the process, and returns a message about it.
func (c *child) wait() string {
	select {
	case <-c.ended:
	case <-time.After(childTimeout):
		syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // and what a wrapper of ssh has started
		<-c.ended
	}
	said := c.said.Lines()
	state, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case state.Signaled():
		return fmt.Sprintf("%s was killed by signal %d (%v)", c.cmd.Args[0], int(state.Signal()), state.Signal())
	case len(said) > 0:
		text, _ := explained(said, c.brings)
		return text
	case !c.cmd.ProcessState.Success():
		return fmt.Sprintf("%s ended with code %d", c.cmd.Args[0], c.cmd.ProcessState.ExitCode())
	}
	return ""
}

// remedied reports whether wait has returned a message with a remedy.
func (c *child) remedied() bool {
	_, known := explained(c.said.Lines(), c.brings)
	return known
}

// remedies are appended to messages of ssh and of the other host that contain the words. Those with
// brings apply if the program is not copied.
var remedies = []struct {
	words  []string // all of them
	remedy remedy.Text
	brings bool
}{
	{[]string{"Permission denied ("}, remedy.Textf("gobench cannot type a password: let ssh find a key (ssh-copy-id, ssh-agent)"), false},
	{[]string{"Host key verification failed"}, remedy.Textf("its key is not the one in known_hosts, or is not there: connect once by hand, and correct that file if you trust the host"), false},
	{[]string{"Connection to ", " timed out"}, lateSilence, false},
	{[]string{"Timeout, server ", " not responding"}, lateSilence, false},
	{[]string{"No space left on device"}, remedy.Textf("gobench needs room for a copy of itself in ~/.cache there, or %v with the same file under the same path", notCopied), false},
	{[]string{"Read-only file system"}, remedy.Textf("set XDG_CACHE_HOME there, or use %v with the same file under the same path", notCopied), false},
	{[]string{"(noexec)"}, otherDirectory, false},
	{[]string{": Permission denied"}, otherDirectory, false},
	{[]string{"sha256sum: "}, remedy.Textf("gobench needs sha256sum there, or %v with the same file under the same path", notCopied), false},
	{[]string{"not found"}, bringsItself, true},
	{[]string{"No such file"}, bringsItself, true},
}

var (
	notCopied      = remedy.Set("copy", "never")
	bringsItself   = remedy.Textf("with %v gobench brings itself", remedy.Set("copy", "auto"))
	otherDirectory = remedy.Textf("set XDG_CACHE_HOME there to a directory of yours that programs can run in, or use %v with the same file under the same path", notCopied)
	// lateSilence is for hosts that were connected and then did not answer, as ssh says it.
	lateSilence = remedy.Textf("it answered at first, and then no more: its sshd is stopped or overloaded, or long packets are lost on the way; compare the MTUs of both hosts and of what is between them")
)

// explained returns the line that has a remedy, with the remedy, and true, or else all lines as
// one: if the key of a host has changed, ssh prints a page of text first. brings reports that the
// program is copied to the host.
func explained(said []string, brings bool) (text string, known bool) {
	for _, r := range remedies {
		for _, line := range said {
			if !(r.brings && brings) && !slices.ContainsFunc(r.words, func(w string) bool { return !strings.Contains(line, w) }) {
				return strings.TrimSuffix(line, ".") + ": " + r.remedy.String(), true
			}
		}
	}
	return strings.Join(said, "; "), false
}

// StandardStream is the standard input and output of this process as a stream to the root.
func StandardStream() (Stream, error) {
	// Non-blocking, so that Close ends a read under way.
	if err := errors.Join(unix.SetNonblock(0, true), unix.SetNonblock(1, true)); err != nil {
		return nil, fmt.Errorf("standard input and output are no stream to a launcher: %w", err)
	}
	return standardStream{os.NewFile(0, "stdin"), os.NewFile(1, "stdout")}, nil
}

type standardStream struct{ in, out *os.File }

func (s standardStream) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s standardStream) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s standardStream) Close() error                { return errors.Join(s.in.Close(), s.out.Close()) }
