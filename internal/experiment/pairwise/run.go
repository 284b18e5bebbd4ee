package pairwise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/remote"
	"gobench/internal/remedy"
	"gobench/pairs"
)

// A Command measures the hosts of a cluster.
type Command struct {
	Hosts     []string       // names for ssh; with Job, those of its hosts once they are connected
	Job       device.Job     // whose rank 0 this is; nil = Hosts are connected by ssh
	How       remote.Options // Skip is set by the command
	Worker    []string       // arguments that make this program call Work
	Measure   Options
	Plan      pairs.Options
	Whole     bool                // every two hosts meet
	Locations map[string][]string // of hosts, by name; nil = unknown
	Log       string              // file that results are appended to; "" = none
	Resume    bool                // go on with the last measurement in Log
	Baseline  string              // Log of an earlier command, to compare with; "" = none
	Limits    []pairs.Limit       // hosts that exceed one are bad
	// Found, if not nil, is called while the command runs with each finding that is new or has a
	// new status, and the number of batches by then, at most once a round.
	Found func(f pairs.Finding, rounds int)
}

// connectTimeout is the time-out of the login to a host, and of the start of the agent there.
const connectTimeout = 20 * time.Second

// peerTimeout is the option of transports for the time after which a silent peer is lost.
const peerTimeout = "peer_timeout"

// Check completes the options, and returns an error that names one that is wrong.
func (c *Command) Check() error {
	m := &c.Measure
	if m.Small <= 0 || m.Large <= 0 || m.Deadline < time.Second {
		return remedy.Errorf("%v and %v must be more than 0, and %v 1s or more", remedy.Named("small-time"), remedy.Named("large-time"), remedy.Named("deadline"))
	}
	if c.Plan.Rounds < 0 || c.Plan.AtOnce < 0 || c.Plan.MinFactor < 0 || c.Plan.MinFactor > 0 && c.Plan.MinFactor <= 1 {
		return remedy.Errorf("%v and %v must be 0 or more, and %v more than 1", remedy.Named("rounds"), remedy.Named("at-once"), remedy.Named("factor"))
	}
	if c.Resume && c.Log == "" {
		return remedy.Errorf("%v goes on with the measurement in a file: name it with %v", remedy.Named("resume"), remedy.Named("output"))
	}
	driver, err := device.Lookup(m.Transport)
	if err != nil {
		return err
	}
	m.Transport = driver.Name()
	// A peer that is silent is named before the deadline of the pair, with the reason.
	declares := slices.ContainsFunc(driver.Options(), func(o device.Option) bool { return o.Name == peerTimeout && o.Default == "10000" })
	if _, typed := m.Set[peerTimeout]; declares && !typed {
		set := map[string]string{peerTimeout: fmt.Sprint(m.Deadline.Milliseconds() / 2)}
		maps.Copy(set, m.Set)
		m.Set = set
	}
	c.Plan.Seed = cmp.Or(c.Plan.Seed, rand.Uint64())
	return nil
}

// Describe returns the plan of the survey and the time that it takes, in one sentence.
func (c *Command) Describe() string {
	n := len(c.Hosts)
	if c.Job != nil {
		hosts := slices.Clone(c.Job.Hosts())
		slices.Sort(hosts)
		n = len(slices.Compact(hosts))
	}
	rounds := cmp.Or(c.rounds(n).Rounds, pairs.DefaultRounds(n))
	atOnce := n / 2
	if c.Plan.AtOnce > 0 {
		atOnce = min(atOnce, c.Plan.AtOnce)
	}
	batches := 0
	if atOnce > 0 {
		batches = rounds * ((n/2 + atOnce - 1) / atOnce)
	}
	each := c.Measure.Small + 3*c.Measure.Large
	return fmt.Sprintf("%d hosts: %d rounds of %d pairs, %d at the same time, over %s; about %v, and for each suspect about %v more",
		n, rounds, n/2, atOnce, c.Measure.Transport, (time.Duration(batches) * each).Round(100*time.Millisecond), (27 * each).Round(100*time.Millisecond))
}

// rounds returns the plan for n hosts.
func (c *Command) rounds(n int) pairs.Options {
	plan := c.Plan
	if c.Whole {
		plan.Rounds = max(n-1+n%2, plan.Rounds)
	}
	return plan
}

// A cluster has the hosts of a command, with a worker on each.
type cluster struct {
	connected *remote.Cluster // nil if another launcher has started the processes
	idle      []net.Conn      // to ranks that do not measure
	workers   *Workers
	missing   map[string]string // hosts that cannot take part, with the reason
	names     []string          // of all hosts, in the order of the command
}

// open connects the hosts. Those that cannot take part are left out. It is an error if ctx has
// ended: what a host has not done by then is not its fault.
func (c *Command) open(ctx context.Context) (*cluster, error) {
	k, err := c.connect(ctx)
	if ctx.Err() == nil {
		return k, err
	}
	if k != nil {
		k.Close()
	}
	return nil, context.Cause(ctx)
}

func (c *Command) connect(ctx context.Context) (*cluster, error) {
	if c.Job != nil {
		k, err := c.gather(ctx, c.Job)
		if err == nil {
			c.Hosts = k.names
		}
		return k, err
	}
	k := &cluster{missing: map[string]string{}}
	how := c.How
	how.Timeout = cmp.Or(how.Timeout, connectTimeout)
	how.Skip = func(e *remote.MemberError) { k.missing[e.Host] = e.Problem }
	var err error
	hosts := collect.Each(c.Hosts, func(name string) hostlist.Host { return hostlist.Host{Name: name, Slots: 1} })
	if k.connected, err = remote.Connect(ctx, hosts, how); err != nil {
		if len(k.missing) == len(c.Hosts) && len(c.Hosts) > 0 {
			err = fmt.Errorf("%w; the first is %s: %s", err, c.Hosts[0], k.missing[c.Hosts[0]])
		}
		return nil, err
	}
	k.workers = Start(ctx, k.connected, c.Worker, c.Measure, func(host string, err error) { k.missing[host] = err.Error() })
	members := map[string]bool{}
	for _, h := range k.connected.Hosts() {
		members[h.Name] = true
	}
	for _, h := range c.Hosts { // without further names of a host
		if _, missing := k.missing[h]; members[h] || missing {
			k.names = append(k.names, h)
		}
	}
	return k, nil
}

func (k *cluster) Close() {
	k.workers.Close()
	for _, c := range k.idle {
		c.Close()
	}
	if k.connected != nil {
		k.connected.Close()
	}
}

// absent returns notes about the hosts that could not take part, or have been lost.
func (k *cluster) absent() (remarks []pairs.Remark) {
	lost := k.workers.Lost()
	for _, name := range k.names {
		why, missing := k.missing[name]
		if err := lost[name]; err != nil && !missing {
			why, missing = err.Error(), true
		}
		if missing {
			remarks = append(remarks, pairs.Remark{Host: name, Kind: pairs.NoAnswer, Text: why})
		}
	}
	return remarks
}

// looksAgain is the number of further looks that a host must deviate in, too, for kinds that the
// load of a moment may cause.
const looksAgain = 2

// againTimeout is the time-out of the look after the measurements.
const againTimeout = 3 * time.Second

// look compares what the hosts show by themselves. missing has the hosts that have not answered,
// none if ctx has ended.
func (k *cluster) look(ctx context.Context, atOnce int) (facts []pairs.Facts, remarks []pairs.Remark, missing map[string]error) {
	if facts, missing = k.workers.Look(ctx, true, atOnce); ctx.Err() != nil {
		missing = nil
	}
	remarks = pairs.CompareFacts(facts)
	passing := func(n pairs.Remark) bool {
		return n.Kind == pairs.Memory || n.Kind == pairs.Busy || n.Kind == pairs.Quota || n.Kind == pairs.Clock
	}
	for range looksAgain {
		if !slices.ContainsFunc(remarks, passing) {
			break
		}
		again, _ := k.workers.Look(ctx, true, atOnce)
		list := pairs.CompareFacts(again)
		remarks = slices.DeleteFunc(remarks, func(n pairs.Remark) bool {
			return passing(n) && !slices.ContainsFunc(list, func(m pairs.Remark) bool { return m.Host == n.Host && m.Kind == n.Kind })
		})
	}
	return facts, remarks, missing
}

// Run connects the hosts, looks at each, and measures what the study plans, until that is complete
// or ctx ends: then the result is what is known by then. An error of the log is returned beside the
// result.
func (c *Command) Run(ctx context.Context) (*pairs.Result, error) {
	var before []pairs.Sample
	if c.Baseline != "" {
		var head *logHead
		var err error
		if head, before, err = readLog(c.Baseline); err != nil {
			return nil, err
		}
		if len(before) == 0 {
			return nil, remedy.Errorf("%s has no results: name a file that %v has written", c.Baseline, remedy.Named("output"))
		}
		if err := head.unlike(c.Baseline, c); err != nil {
			return nil, err
		}
	}
	var log *log
	var known []pairs.Sample
	var err error
	if c.Job == nil { // else the hosts are not known yet
		if log, known, err = c.openLog(); err != nil {
			return nil, err
		}
		defer log.Close()
	}
	k, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	if c.Job != nil {
		if log, known, err = c.openLog(); err != nil {
			return nil, err
		}
		defer log.Close()
	}
	if len(k.names) < 2 {
		return nil, errors.New("one host has no partner: name two hosts or more, three to tell which one is slow")
	}
	r := &pairs.Result{}
	var silent map[string]error
	r.Facts, r.Remarks, silent = k.look(ctx, c.Plan.AtOnce)
	for name, err := range silent { // the pairs tell whether it works
		r.Remarks = append(r.Remarks, pairs.Remark{Host: name, Text: err.Error()})
	}
	if c.Locations == nil {
		c.Locations = found(r.Facts, len(k.names)-len(k.missing))
		for name := range k.missing { // its place is of no use, and must be as deep
			if c.Locations != nil {
				c.Locations[name] = r.Facts[0].Location
			}
		}
	}
	r.Hosts = c.hostsOf(k.names)
	for _, h := range r.Hosts {
		if c.Locations != nil && h.Location == nil {
			return nil, remedy.Errorf("the topology has no place of %s: add it, or leave %v out", h.Name, remedy.Named("topology"))
		}
	}
	plan := c.rounds(len(r.Hosts))
	plan.Contended = pairs.Contended(r.Facts)
	study := pairs.NewStudy(r.Hosts, plan)
	for name := range k.missing {
		study.Drop(name)
	}
	verdict := func() pairs.Verdict { return study.Verdict(slices.Concat(k.absent(), r.Remarks)) }
	named, said := map[string]bool{}, []pairs.Finding(nil)
	var logErr error
	announce := onceARound(func() {
		v := verdict()
		for _, f := range slices.Concat(v.Findings, v.Suspects) {
			if f.Scope == pairs.OfPair && f.Status == pairs.Unconfirmed {
				continue // noise makes some; those that are confirmed count
			}
			key := fmt.Sprint(f.Scope, f.Hosts, f.Status)
			if f.Status != pairs.Unconfirmed {
				key += string(f.Kind)
			}
			if named[key] {
				continue
			}
			named[key] = true
			c.Found(f, v.Rounds)
			if f.Status != pairs.Unconfirmed {
				said = append(said, f)
			}
		}
	})
	err = k.workers.measure(ctx, r.Hosts, study, known, func(results []pairs.Sample) {
		logErr = errors.Join(logErr, log.add(results))
		if c.Found != nil {
			announce(results)
		}
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.Interrupted = err != nil
	r.Samples = study.Samples()
	// Other programs may have begun after the first look.
	if slices.ContainsFunc(verdict().Findings, func(f pairs.Finding) bool { return f.Factor != nil }) {
		ctx, stop := context.WithTimeout(ctx, againTimeout)
		if again, _ := k.workers.Look(ctx, true, c.Plan.AtOnce); pairs.Contended(again) {
			study.Contend()
		}
		stop()
	}
	beyond, unjudged := pairs.Exceeding(r.Samples, r.Facts, c.Limits)
	r.Remarks = append(r.Remarks, beyond...)
	r.Verdict = verdict()
	if len(c.Limits) > 0 {
		r.Unjudged = nil // limits judge two hosts, too
	}
	r.Unjudged = append(r.Unjudged, unjudged...)
	r.Withdraw(said)
	if before != nil {
		r.Changes = study.CompareBaseline(before)
	}
	return r, logErr
}

// onceARound returns a function that takes the results of each batch, and calls look with the first
// one of each round: to fit all results takes as long as a batch of few pairs does.
func onceARound(look func()) func([]pairs.Sample) {
	var last pairs.Sample
	return func(batch []pairs.Sample) {
		if first := batch[0]; first.Round != last.Round || first.Stage != last.Stage {
			last = first
			look()
		}
	}
}

// Probe connects the hosts, looks at each, and tries all connections between them.
func (c *Command) Probe(ctx context.Context) (*pairs.Result, error) {
	k, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	r := &pairs.Result{}
	var silent map[string]error
	r.Facts, r.Remarks, silent = k.look(ctx, c.Plan.AtOnce)
	for name, err := range silent {
		k.missing[name] = err.Error()
	}
	var deaf map[string]error
	r.Reach, deaf = k.workers.Reach(ctx)
	absent := k.absent()
	r.Remarks = slices.Concat(absent, r.Remarks)
	for _, name := range k.names {
		if err := deaf[name]; err != nil && !slices.ContainsFunc(absent, func(n pairs.Remark) bool { return n.Host == name }) {
			r.Remarks = append(r.Remarks, pairs.Remark{Host: name, Kind: pairs.NoConnection, Text: fmt.Sprintf("no host could connect to it, because it did not listen: %v", err)})
		}
	}
	tried := map[string]bool{}
	for _, one := range r.Reach {
		tried[one.From], tried[one.To] = true, true
	}
	v := pairs.Verdict{Complete: ctx.Err() == nil}
	v.Findings = pairs.CompareReach(r.Reach)
	bad := map[string]bool{}
	for _, n := range r.Remarks {
		if n.Kind != "" {
			v.Findings = append(v.Findings, pairs.Finding{Scope: pairs.OfHost, Hosts: []string{n.Host}, Kind: n.Kind, Status: pairs.Confirmed, Evidence: []string{n.Text}, Advice: n.Advice})
		}
	}
	for _, f := range v.Findings {
		if f.Scope == pairs.OfHost {
			bad[f.Hosts[0]] = true
		}
	}
	r.Hosts = c.hostsOf(k.names)
	for _, name := range k.names {
		switch _, missing := k.missing[name]; {
		case missing:
			v.Missing = append(v.Missing, name)
		case bad[name]:
			v.Bad = append(v.Bad, name)
		case !v.Complete, !tried[name] && len(k.names) > 1:
			v.Untried = append(v.Untried, name)
		default:
			v.Good = append(v.Good, name)
		}
	}
	r.Verdict, r.Interrupted = v, ctx.Err() != nil
	return r, nil
}

// measure measures what a study plans, until it is complete or ctx ends. It takes results from
// known, those of an interrupted run of the same study, where that has them. each is called after
// each batch with what was measured.
func (w *Workers) measure(ctx context.Context, hosts []pairs.Host, study *pairs.Study, known []pairs.Sample, each func([]pairs.Sample)) error {
	type key struct {
		a, b  string
		round int
		stage pairs.Stage
	}
	replay := map[key][]pairs.Sample{}
	for _, r := range known {
		k := key{r.A, r.B, r.Round, r.Stage}
		replay[k] = append(replay[k], r)
	}
	for ctx.Err() == nil {
		for name := range w.Lost() {
			study.Drop(name)
		}
		batch := study.Next()
		if batch == nil {
			return nil
		}
		results := make([]pairs.Sample, len(batch))
		var left []pairs.Match
		var at []int
		for i, m := range batch {
			k := key{hosts[m.A].Name, hosts[m.B].Name, m.Round, m.Stage}
			if list := replay[k]; len(list) > 0 {
				results[i], replay[k] = list[0], list[1:]
				continue
			}
			left, at = append(left, m), append(at, i)
		}
		var measured []pairs.Sample
		for i, r := range w.Batch(ctx, hosts, left) {
			if r.Failed != "" && ctx.Err() != nil {
				continue // what ended it is not a fault of the hosts
			}
			results[at[i]] = r
			measured = append(measured, r)
		}
		study.Add(results)
		if len(measured) > 0 {
			each(measured)
		}
	}
	return context.Cause(ctx)
}
