package price

import (
	"errors"
	"fmt"
	"path"
)

// A Cluster lists the nodes for which a job is charged.
type Cluster struct {
	Name  string `toml:"name"`
	Nodes []Node `toml:"node"`
}

// A Node is a kind of node with its count.
type Node struct {
	Type  string `toml:"type"`  // in the price book
	Hosts string `toml:"hosts"` // pattern of host names in records (path.Match); "" = any
	Cores int    `toml:"cores"` // of one node that a job uses
	Count int    `toml:"count"` // number of these nodes
	Role  string `toml:"role"`  // "" = runs ranks; "server", "master": paid for as a whole
}

// LoadCluster reads the description of a cluster. Errors are *record.FileError.
func LoadCluster(file string) (*Cluster, error) {
	return load(file, (*Cluster).check, "name", "node.type", "node.hosts", "node.cores", "node.count", "node.role")
}

func (c *Cluster) check() error {
	if len(c.Nodes) == 0 {
		return errors.New("a cluster needs at least one [[node]]")
	}
	for i, n := range c.Nodes {
		if n.Type == "" || n.Count < 1 || n.Role == "" && n.Cores < 1 {
			return fmt.Errorf("node %d: type, count and, if it runs ranks, cores must be given", i+1)
		}
		if _, err := path.Match(n.Hosts, ""); err != nil {
			return fmt.Errorf("node %d: hosts = %q is not a valid pattern", i+1, n.Hosts)
		}
	}
	return nil
}

// A Job is what a job takes of a cluster.
type Job struct {
	// Hosts are the names of the hosts that ran ranks, each once. If it is nil, only the name of
	// one of them and the number of cores are known, as of imported logs.
	Hosts []string
	Host  string // "" = not known
	Cores int    // one for each rank and thread
}

// Rate returns the hourly cost of the cluster for a job. Each host of the job is a node of the
// first kind that its name matches, and is charged as a whole, whatever the number of its ranks; a
// job without known hosts takes as many nodes as its cores need. All nodes with a role are charged,
// too. option is "on-demand", "spot" or "reserved"; date is as in Book.Find.
//
// Source: thesis, chapters 7 to 9: the sum over types of number times price, including servers and
// masters, pro rata of an hour; an instance with one process costs as much as a full one.
func (c *Cluster) Rate(b *Book, option, date string, job Job) (perHour float64, err error) {
	counts, err := c.nodes(job)
	if err != nil {
		return 0, err
	}
	for i, n := range c.Nodes {
		if counts[i] == 0 {
			continue
		}
		p, err := b.Find(n.Type, option, date)
		if err != nil {
			return 0, err
		}
		perHour += float64(counts[i]) * p.PerHour
	}
	return perHour, nil
}

// nodes returns how many nodes of each kind a job is charged for.
func (c *Cluster) nodes(job Job) ([]int, error) {
	counts := make([]int, len(c.Nodes))
	for i, n := range c.Nodes {
		if n.Role != "" {
			counts[i] = n.Count
		}
	}
	if job.Hosts == nil {
		i, err := c.kind(job.Host)
		if err != nil {
			return nil, err
		}
		n := c.Nodes[i]
		if counts[i] = (job.Cores + n.Cores - 1) / n.Cores; counts[i] > n.Count {
			return nil, fmt.Errorf("%d cores need %d nodes of %s, the cluster %s has %d", job.Cores, counts[i], n.Type, c.Name, n.Count)
		}
		return counts, nil
	}
	for _, host := range job.Hosts {
		i, err := c.kind(host)
		if err != nil {
			return nil, err
		}
		counts[i]++
	}
	for i, n := range c.Nodes {
		if counts[i] > n.Count {
			return nil, fmt.Errorf("the job ran on %d nodes of %s, the cluster %s has %d", counts[i], n.Type, c.Name, n.Count)
		}
	}
	return counts, nil
}

// kind returns the first kind of node that runs ranks and matches the name of a host.
func (c *Cluster) kind(host string) (int, error) {
	for i, n := range c.Nodes {
		fits, _ := path.Match(n.Hosts, host) // checked when it was read
		if n.Role == "" && (n.Hosts == "" || fits) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the cluster %s has no node called %q", c.Name, host)
}

// PerGOPS returns the hourly cost per 10^9 operations per second (lower is better), by which
// chapter 7 of the thesis compares machines. mops is in Mop/s.
func PerGOPS(perHour, mops float64) float64 { return perHour / (mops / 1e3) }

// Of returns the cost of seconds at a cost per hour, pro rata.
func Of(perHour, seconds float64) float64 { return perHour * seconds / 3600 }
