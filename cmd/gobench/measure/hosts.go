package measure

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gobench/launch"
)

// Hosts holds the options for ranks on other hosts.
type Hosts struct {
	List string   // --hosts; "" = this host alone
	File string   // --hostfile
	Map  string   // policy of launch.Place
	Copy string   // "auto" or "never"
	SSH  string   // "" = ssh
	Env  []string // names of variables
}

// check parses the list of hosts. It returns nil if all ranks run on this host.
func (h Hosts) check(l *Launch) ([]launch.Host, error) {
	var hosts []launch.Host
	var err error
	switch {
	case h.List == "" && h.File == "":
		return nil, nil
	case h.List != "" && h.File != "":
		return nil, errors.New("--hosts and --hostfile both say where ranks run: choose one")
	case h.List != "":
		hosts, err = launch.ParseHosts(h.List)
	case os.Getenv(seriesVariable) != "": // a rank, whose host may not have the file
		return nil, nil
	default:
		hosts, err = launch.ReadHostfile(h.File)
	}
	if err != nil {
		return nil, fmt.Errorf("list of hosts: %w", err)
	}
	if _, err := launch.Place(h.Map, hosts, 1); err != nil {
		return nil, fmt.Errorf("--map: %w", err)
	}
	if err := oneOf("--copy", h.Copy, "auto", "never"); err != nil {
		return nil, err
	}
	if l.RankKind == "goroutine" {
		return nil, errors.New("--ranks=goroutine keeps all ranks in this process: leave --hosts out")
	}
	if l.Pin == Pairs {
		return nil, fmt.Errorf("--pin=%s is for the cores of this host: leave --hosts out", Pairs)
	}
	return hosts, nil
}

// Connect starts the agents on the hosts of the command, if it has any. Close ends them.
func (c *Campaign) Connect(ctx context.Context) error {
	r := c.requests[0]
	if r.Hosts == nil {
		return nil
	}
	var err error
	c.cluster, err = launch.Connect(ctx, r.Hosts, launch.Remote{
		SSH: r.on.SSH, Copy: r.on.Copy == "auto",
		Notice: func(s string) { fmt.Fprintf(c.stderr, "gobench: %s\n", s) },
	})
	return err
}

// Close ends the agents.
func (c *Campaign) Close() {
	if c.cluster != nil {
		c.cluster.Close()
	}
}

// start starts the ranks of one launch, here or on the hosts of the command.
func (c *Campaign) start(ctx context.Context, r *Request, spec launch.Spec) (*launch.Result, error) {
	if c.cluster == nil {
		spec.Cores = r.Cores
		return launch.Local(ctx, spec)
	}
	spec.Map, spec.Pin, spec.Threads, spec.Forward = r.on.Map, r.Pin, r.Threads, r.on.Env
	return c.cluster.Run(ctx, spec)
}
