package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/remote"
	"gobench/internal/remedy"
	"gobench/launch/rendezvous"
)

// Hosts holds the options for ranks on other hosts.
type Hosts struct {
	List string   // --hosts
	File string   // --hostfile
	Map  string   // policy of hostlist.Assign
	Copy string   // "auto" or "never"
	SSH  string   // "" = ssh
	Env  []string // names of variables
	// Skip leaves out the hosts that cannot be connected, with a notice.
	Skip bool

	found      []hostlist.Host    // hosts of the ranks, from settle; nil = this host alone
	allocation *detect.Allocation // that has these hosts, nil if the user has named them
	several    bool               // the ranks are on several hosts: in a rank from settle, else from Check
	usual      bool               // the user has typed no transport, from settle
}

// betweenHosts is the default transport between hosts.
const betweenHosts = "tcp"

// transports returns the names of the transports, separated by commas.
func (l *Launch) transports() string {
	if l.On.several && l.On.usual {
		return betweenHosts
	}
	return l.Transports
}

// settle completes the options before Check: it finds the hosts of the command and, unless the user
// typed that flag, chooses the numbers of ranks. rank is nil in the process that the user started.
// counts is nil if the numbers of ranks stay the same. remark is a sentence about hosts that the
// user has not named, or "".
func (l *Launch) settle(ctx context.Context, rank *rendezvous.Rank, o Options, typed func(flag string) bool) (counts []int, remark string, err error) {
	l.On.usual = !typed("transport")
	switch {
	case rank != nil: // this process is a rank
		if err := l.checkLauncher(typed); err != nil {
			return nil, "", err
		}
		l.On.several = slices.Max(rank.Hosts()) > 0
	default:
		if l.Meeting.At != "" {
			return nil, "", remedy.Errorf("%v is for ranks that gobench does not start: add %v, or use a launcher", remedy.Set("meet", l.Meeting.At), remedy.Set("node", "I/N"))
		}
		if remark, err = l.On.find(ctx, l); err != nil {
			return nil, "", err
		}
		if l.On.found == nil { // also check the policy with this host only
			if _, err = hostlist.Assign(l.On.Map, []hostlist.Host{{Name: "localhost", Slots: 1}}, 1); err != nil {
				return nil, "", remedy.Errorf("%v: %w", remedy.Named("map"), err)
			}
			ignored := collect.Each(collect.If([]string{"map", "copy", "env"}, typed), func(flag string) string { return remedy.Named(flag).String() })
			if ignored != nil {
				remark = "ignored, because all ranks are on this host: " + strings.Join(ignored, ", ")
			}
		}
		if l.On.found != nil && !typed("np") {
			if n := o.ranks(l.On.found); n > 0 {
				counts = []int{min(n, maxRanks/l.PerProcess()) * l.PerProcess()}
			}
		}
	}
	return counts, remark, nil
}

// FlagsOfHosts are the flags that place ranks that gobench starts.
var FlagsOfHosts = []string{"hosts", "hostfile", "map"}

// checkLauncher returns an error for a flag that contradicts the launcher that has started the
// ranks.
func (l *Launch) checkLauncher(typed func(flag string) bool) error {
	if _, launched, _ := roundOfEnv(); launched {
		return nil // gobench has started them as the flags say
	}
	for _, flag := range FlagsOfHosts {
		if typed(flag) {
			return remedy.Errorf("%v is for ranks that gobench starts: leave it out, or the launcher", remedy.Named(flag))
		}
	}
	if l.RankKind == "goroutine" {
		return remedy.Errorf("%v keeps all ranks in one process: leave it or the launcher out, or set their number per process: %v", remedy.Set("ranks", "goroutine"), remedy.Set("ranks", "goroutine:4"))
	}
	return nil
}

// find sets h.found to the hosts of --hosts or --hostfile, else to those of the allocation of a
// scheduler. It stays nil, for this host, if there is no allocation or it contains only this host,
// and with --ranks=goroutine or --pin=pairs.
func (h *Hosts) find(ctx context.Context, l *Launch) (remark string, err error) {
	switch {
	case h.List != "" && h.File != "":
		return "", remedy.Errorf("%v and %v exclude each other: choose one", remedy.Named("hosts"), remedy.Named("hostfile"))
	case h.List != "":
		h.found, err = hostlist.Parse(h.List)
	case h.File != "":
		var ignored []string
		if h.found, ignored, err = hostlist.ReadFile(h.File); ignored != nil {
			remark = fmt.Sprintf("%s: %s of hosts have no effect here", h.File, strings.Join(ignored, ", "))
		}
	case l.RankKind == "goroutine" || l.Pin == Pairs:
		return "", nil
	default:
		a, err := detect.FindAllocation()
		if err != nil || a == nil || len(a.Hosts) == 1 && remote.ThisHost(ctx, a.Hosts[0].Name) {
			return "", err
		}
		h.found, h.allocation = a.Hosts, a
		remark = fmt.Sprintf("ranks run on the hosts of job %s of %s (%s); %v keeps them here", a.Job, a.Scheduler, a.Evidence, remedy.Set("hosts", "localhost"))
	}
	if err != nil {
		return "", fmt.Errorf("list of hosts: %w", err)
	}
	if h.Skip {
		left, err := h.skip(ctx)
		return strings.TrimPrefix(remark+"; "+left, "; "), err
	}
	return remark, nil
}

// Find returns the names of the hosts of the options, or of those of the allocation of a scheduler,
// for verbs that start no ranks. about is a sentence about hosts that the user has not named, or
// "".
func (h *Hosts) Find(ctx context.Context) (names []string, about string, err error) {
	if err := h.check(&Launch{}); err != nil {
		return nil, "", err
	}
	if about, err = h.find(ctx, &Launch{}); err != nil {
		return nil, "", err
	}
	if h.found == nil {
		return nil, "", remedy.Errorf("there are no hosts: name them with %v or %v, or start this in an allocation of a scheduler", remedy.Set("hosts", "a,b,c"), remedy.Set("hostfile", "FILE"))
	}
	return collect.Each(h.found, func(h hostlist.Host) string { return h.Name }), about, nil
}

// remote returns how the hosts are connected.
func (h *Hosts) remote() remote.Options {
	return remote.Options{SSH: h.SSH, Copy: h.Copy == "auto"}
}

// skip removes the hosts that cannot be connected, and returns a sentence about them.
func (h *Hosts) skip(ctx context.Context) (string, error) {
	skipped := map[string][]string{} // by problem
	for _, err := range unjoined(h.remote().Look(ctx, h.found)) {
		failed, ok := errors.AsType[*remote.MemberError](err)
		if !ok {
			return "", err
		}
		skipped[failed.Problem] = append(skipped[failed.Problem], failed.Host)
		h.found = slices.DeleteFunc(h.found, func(one hostlist.Host) bool { return one.Name == failed.Host })
	}
	switch {
	case len(skipped) == 0:
		return "", nil
	case len(h.found) == 0:
		return "", fmt.Errorf("no host can be connected: %s", hostlist.WithReasons(skipped))
	}
	return "left out, because they cannot be connected: " + hostlist.WithReasons(skipped), nil
}

// unjoined returns the errors that errors.Join has joined.
func unjoined(err error) []error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// slots returns the total number of slots of hosts.
func slots(hosts []hostlist.Host) int {
	n := 0
	for _, h := range hosts {
		n += h.Slots
	}
	return n
}

// ranks implements Options: two ranks by default, on any number of hosts.
func (*P2P) ranks([]hostlist.Host) int { return 0 }

// ranks implements Options: all slots take part.
func (*Collective) ranks(hosts []hostlist.Host) int { return max(2, slots(hosts)) }

// ranks implements Options: the largest power of two of slots, because many kernels need one.
func (*Application) ranks(hosts []hostlist.Host) int {
	return 1 << (bits.Len(uint(slots(hosts))) - 1)
}

// check checks the options with the number of ranks, and whether these are on several hosts.
func (h *Hosts) check(l *Launch) error {
	for _, name := range h.Env {
		if name == "" || strings.Contains(name, "=") {
			return remedy.Errorf("%v is %q, want the name of a variable; ranks get the value that it has here", remedy.Named("env"), name)
		}
	}
	if err := oneOf(remedy.Named("copy").String(), h.Copy, "auto", "never"); err != nil {
		return err
	}
	if h.found == nil {
		return nil
	}
	on, err := hostlist.Assign(h.Map, h.found, max(1, l.Ranks/l.PerProcess()))
	if err != nil {
		return remedy.Errorf("%v: %w", remedy.Named("map"), err)
	}
	h.several = slices.Min(on) < slices.Max(on)
	if l.RankKind == "goroutine" {
		return remedy.Errorf("%v keeps all ranks in this process: leave %v out, or set their number per process: %v", remedy.Set("ranks", "goroutine"), remedy.Named("hosts"), remedy.Set("ranks", "goroutine:4"))
	}
	if l.Pin == Pairs {
		return remedy.Errorf("%v places two ranks on each pair of cores of this host: leave %v out, or measure pairs of hosts by a sweep with hosts = [\"a,b\", \"a,c\", \"b,c\"] in [[p2p]], which gobench report %v draws", remedy.Set("pin", Pairs), remedy.Named("hosts"), remedy.Set("figure", "pairs"))
	}
	return nil
}

// placement returns the policy that places the ranks on hosts, for the record: "spread", "ppr:4",
// "file" for a file, and "" for the usual "fill" and for ranks of this host alone.
func (r *measurement) placement() string {
	switch policy := r.on.Map; {
	case r.Hosts == nil, policy == "fill":
		return ""
	case policy == "", policy == "spread", strings.HasPrefix(policy, "ppr:"):
		return policy
	}
	return "file"
}

// canStart returns why the command would fail before its first launch, as far as that is known
// without one: a host that cannot be found, or on this host a transport that cannot be used.
func (r *measurement) canStart(ctx context.Context) error {
	if r.Hosts != nil {
		return r.on.remote().Look(ctx, r.Hosts)
	}
	return r.usable()
}
