package cell

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/price"
	"gobench/internal/report/style"
)

// A Cost computes the price of runs from a price book and a description of the cluster.
type Cost struct {
	Book    *price.Book
	Cluster *price.Cluster
	Date    string // at which the prices are in force, see price.Book.Find; empty = the latest
}

// LoadCost reads a price book and the description of a cluster. date is a year, month or day at
// which the prices are in force, or empty for the latest prices.
func LoadCost(book, cluster, date string) (*Cost, error) {
	if date != "" {
		if err := price.CheckDate(date); err != nil {
			return nil, err
		}
	}
	b, err := price.Load(book)
	if err != nil {
		return nil, err
	}
	c, err := price.LoadCluster(cluster)
	if err != nil {
		return nil, err
	}
	return &Cost{Book: b, Cluster: c, Date: date}, nil
}

// PerHour returns the price per hour of the nodes that a point uses, in the currency of the price
// book. The hosts come from the job; if its record does not state the host of each rank, as
// those of imported logs, as many nodes are charged as the cores need.
func (c *Cost) PerHour(p Point, option string) (float64, error) {
	return c.Cluster.Rate(c.Book, option, c.Date, jobOf(p))
}

func jobOf(p Point) price.Job {
	job := price.Job{Cores: p.Ranks * max(1, p.Threads)}
	facts := p.Hosts()
	if len(facts) > 0 {
		job.Host = facts[0].Hostname
	}
	if p.Run == nil || len(p.Run.Job.Hosts) == 0 {
		return job
	}
	used := slices.Compact(slices.Sorted(slices.Values(p.Run.Job.Hosts)))
	if used[0] < 0 || used[len(used)-1] >= len(facts) {
		return job
	}
	for _, at := range used {
		job.Hosts = append(job.Hosts, facts[at].Hostname)
	}
	return job
}

// Prices describes the prices of the nodes of the cluster in some payment options, each with its
// date: "cc1.4xlarge on-demand 1.3 (2012)". Those that the book does not have are left out.
func (c *Cost) Prices(options []string) string {
	var list []string
	for _, option := range options {
		for _, n := range c.Cluster.Nodes {
			if p, err := c.Book.Find(n.Type, option, c.Date); err == nil {
				list = collect.Union(list, fmt.Sprintf("%s %s %s (%s)", n.Type, option, style.Number(p.PerHour), p.Date))
			}
		}
	}
	return strings.Join(list, ", ")
}

// Options returns the payment options of the price book, in its order.
func (c *Cost) Options() []string {
	return collect.Union(nil, collect.Each(c.Book.Prices, func(p price.Price) string { return p.Option })...)
}
