package price

import (
	"errors"
	"fmt"
	"path"

	"gobench/bench/record"
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
	var c Cluster
	if err := load(file, &c, "name", "node.type", "node.hosts", "node.cores", "node.count", "node.role"); err != nil {
		return nil, &record.FileError{Path: file, Err: err}
	}
	if len(c.Nodes) == 0 {
		return nil, &record.FileError{Path: file, Err: errors.New("a cluster needs at least one [[node]]")}
	}
	for i, n := range c.Nodes {
		if n.Type == "" || n.Count < 1 || n.Role == "" && n.Cores < 1 {
			return nil, &record.FileError{Path: file, Err: fmt.Errorf("node %d: type, count and, if it runs ranks, cores must be given", i+1)}
		}
		if _, err := path.Match(n.Hosts, ""); err != nil {
			return nil, &record.FileError{Path: file, Err: fmt.Errorf("node %d: hosts = %q is not a valid pattern", i+1, n.Hosts)}
		}
	}
	return &c, nil
}

// Rate returns the hourly cost of the cluster for a job on the given number of cores. The job runs
// on the first kind of node that matches host; Rate counts as many of these nodes as the job needs,
// and all nodes with a role. option is "on-demand", "spot" or "reserved"; date may be empty.
//
// Source: thesis, chapters 7 to 9: the sum over types of number times price, including servers and
// masters, pro rata of an hour.
func (c *Cluster) Rate(b *Book, option, date, host string, cores int) (perHour float64, err error) {
	placed := false
	for _, n := range c.Nodes {
		count := n.Count
		if n.Role == "" {
			fits, _ := path.Match(n.Hosts, host) // checked when it was read
			if placed || n.Hosts != "" && !fits {
				continue
			}
			count = (cores + n.Cores - 1) / n.Cores
			if count > n.Count {
				return 0, fmt.Errorf("%d cores need %d nodes of %s, the cluster %s has %d", cores, count, n.Type, c.Name, n.Count)
			}
			placed = true
		}
		p, err := b.Find(n.Type, option, date)
		if err != nil {
			return 0, err
		}
		perHour += float64(count) * p.PerHour
	}
	if !placed {
		return 0, fmt.Errorf("the cluster %s has no node called %q", c.Name, host)
	}
	return perHour, nil
}

// PerGOPS returns the hourly cost per 10^9 operations per second (lower is better), by which
// chapter 7 of the thesis compares machines. mops is in Mop/s.
func PerGOPS(perHour, mops float64) float64 { return perHour / (mops / 1e3) }
