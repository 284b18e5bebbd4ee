package cell

import (
	"gobench/bench/price"
	"gobench/report/host"
)

// A Cost computes the price of runs from a price book and a description of the cluster.
type Cost struct {
	Book    *price.Book
	Cluster *price.Cluster
	Date    string // of the prices; empty = the latest
}

// LoadCost reads a price book and the description of a cluster.
func LoadCost(book, cluster string) (*Cost, error) {
	b, err := price.Load(book)
	if err != nil {
		return nil, err
	}
	c, err := price.LoadCluster(cluster)
	if err != nil {
		return nil, err
	}
	return &Cost{Book: b, Cluster: c}, nil
}

// PerHour returns the price per hour of the nodes that a point uses, in the currency of the price
// book.
func (c *Cost) PerHour(p Point, option string) (float64, error) {
	name := ""
	if facts := host.Of(p.Run); len(facts) > 0 {
		name = facts[0].Hostname
	}
	return c.Cluster.Rate(c.Book, option, c.Date, name, p.Ranks*max(1, p.Threads))
}

// Options returns the payment options of the price book, in its order.
func (c *Cost) Options() []string {
	var options []string
	seen := map[string]bool{}
	for _, p := range c.Book.Prices {
		if !seen[p.Option] {
			seen[p.Option] = true
			options = append(options, p.Option)
		}
	}
	return options
}
