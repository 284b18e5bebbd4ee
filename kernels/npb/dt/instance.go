package dt

import (
	"fmt"
	"math"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// instance is DT on one rank.
type instance struct {
	*traffic
	rank  *application.Rank
	class npb.Class
	size  size
	graph graph
	node  *node // of this rank, nil if it is not a source
	id    int

	own, other []float64 // result of the node, and the message that is received
	arrived    []int64   // of each message: length and sum of bits
	sink       float64   // result of a sink

	// Buffers of short messages: local ones would be allocated.
	announced [1]int32
	value     [1]float64
}

func newInstance(r *application.Rank, t *traffic, class npb.Class) *instance {
	s := sizes[class]
	d := &instance{traffic: t, rank: r, class: class, size: s, graph: t.graph(s.sources), id: r.Comm.Rank()}
	if d.id >= len(d.graph.nodes) {
		return d
	}
	d.node = &d.graph.nodes[d.id]
	d.own = application.Array[float64](s.largest())
	if d.node.in != nil {
		d.other = application.Array[float64](s.largest())
		d.arrived = make([]int64, 2*len(d.node.in))
	}
	return d
}

// Run implements npb.Instance.
func (d *instance) Run() (npb.Result, error) {
	if err := comm.Barrier(d.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	d.rank.Begin()
	length, err := d.process()
	if err != nil {
		return npb.Result{}, err
	}
	sum, err := d.total()
	if err != nil {
		return npb.Result{}, err
	}
	if err := d.rank.Step(1, 1); err != nil {
		return npb.Result{}, err
	}
	result := npb.Result{Seconds: d.rank.End()}
	damaged, err := d.compare(length)
	if err != nil {
		return result, err
	}
	if d.id == 0 {
		reference := d.sums[d.class]
		result.Checks = []npb.Check{{Name: "checksum", Value: sum, Reference: reference, Error: math.Abs(sum - reference), Epsilon: 1e-8}}
		result.Text = fmt.Sprintf(" %s.%v L2 Norm = %f\n", d.title, d.class, sum)
		if result.Verified() {
			result.Text += fmt.Sprintf(" Deviation = %f\n", sum-reference)
		} else {
			result.Text += fmt.Sprintf(" The correct verification value = %f\n Got value = %f\n", reference, sum)
		}
	}
	if damaged >= 0 {
		result.Checks = append(result.Checks, npb.Check{Name: fmt.Sprintf("message of arc %d", damaged), Error: 1})
	}
	return result, nil
}

// process does the work of the node and returns the number of values that it sends.
func (d *instance) process() (length int, err error) {
	switch n := d.node; {
	case n == nil:
		return 0, nil
	case n.in == nil:
		length = fields * d.size.samplesOf(d.id)
		generate(d.own[:length], d.id)
	case n.out == nil:
		return 0, d.reduce()
	default:
		if length, err = d.combine(); err != nil {
			return 0, err
		}
	}
	return length, d.send(d.own[:length])
}

// combine filters the received messages into own, and returns the number of values there.
func (d *instance) combine() (int, error) {
	length := d.size.mean()
	clear(d.own[:length])
	weight := float64(d.id+1) / float64(d.id+2)
	for i := range d.node.in {
		n, err := d.receive(i)
		if err != nil {
			return 0, err
		}
		if n < fields { // a damaged message
			continue
		}
		if n < length {
			resample(d.other, n, length)
		} else if length < n {
			resample(d.own, length, n)
			length = n
		}
		filter(d.own[:length], d.other[:length], weight)
	}
	truncate(d.own[:length], len(d.node.in))
	return length, nil
}

// reduce sets sink to the result of the received messages.
func (d *instance) reduce() error {
	weight := float64(d.id + 1)
	var sum float64
	for i := range d.node.in {
		n, err := d.receive(i)
		if err != nil {
			return err
		}
		sum += math.Trunc(weight * meanSquare(d.other[:n]))
	}
	d.sink = weight * float64(int64(sum)/int64(len(d.node.in)))
	return nil
}

// receive receives the message of arc i: first its length, then its values, into other. It returns
// the number of values that have arrived, which differs from the announced length if a message is
// damaged.
func (d *instance) receive(i int) (int, error) {
	a := d.node.in[i]
	d.rank.Timers.Begin(application.Exchange)
	if _, err := comm.Recv(d.rank.Comm, d.announced[:], a.node, a.number); err != nil {
		return 0, err
	}
	status, err := comm.Recv(d.rank.Comm, d.other, a.node, a.number)
	d.rank.Timers.Begin(application.Compute)
	if err != nil {
		return 0, err
	}
	n := comm.Count[float64](status)
	d.arrived[2*i], d.arrived[2*i+1] = int64(d.announced[0]), bits(d.other[:n])
	return n, nil
}

// send sends numbers along all arcs of the node.
func (d *instance) send(numbers []float64) error {
	d.rank.Timers.Begin(application.Exchange)
	defer d.rank.Timers.Begin(application.Compute)
	d.announced[0] = int32(len(numbers))
	for _, a := range d.node.out {
		if err := comm.Send(d.rank.Comm, d.announced[:], a.node, a.number); err != nil {
			return err
		}
		d.rank.Profile.Sent(a.node, 4)
		if err := comm.Send(d.rank.Comm, numbers, a.node, a.number); err != nil {
			return err
		}
		d.rank.Profile.Sent(a.node, 8*len(numbers))
	}
	return nil
}

// total sends the result of a sink to rank 0, which returns the sum of all.
func (d *instance) total() (sum float64, err error) {
	d.rank.Timers.Begin(application.Allreduce)
	defer d.rank.Timers.Begin(application.Compute)
	if d.node != nil && d.node.out == nil {
		d.value[0] = d.sink
		if err := comm.Send(d.rank.Comm, d.value[:], 0, d.graph.arcs+d.id); err != nil {
			return 0, err
		}
		d.rank.Profile.Sent(0, 8)
	}
	if d.id != 0 {
		return 0, nil
	}
	for id := range d.graph.nodes {
		if d.graph.nodes[id].out != nil {
			continue
		}
		if _, err := comm.Recv(d.rank.Comm, d.value[:], id, d.graph.arcs+id); err != nil {
			return 0, err
		}
		sum += d.value[0]
	}
	return sum, nil
}

// compare exchanges length and sum of bits of every message, and returns the arc of one that was
// damaged, or -1.
func (d *instance) compare(length int) (damaged int, err error) {
	if d.node == nil {
		return -1, nil
	}
	sent := []int64{int64(length), bits(d.own[:length])}
	tag := d.graph.arcs + len(d.graph.nodes)
	damaged = -1
	for i, a := range d.node.in {
		var want [2]int64
		if _, err := comm.Recv(d.rank.Aside, want[:], a.node, tag+a.number); err != nil {
			return -1, err
		}
		if want != [2]int64(d.arrived[2*i:]) {
			damaged = a.number
		}
	}
	for _, a := range d.node.out {
		if err := comm.Send(d.rank.Aside, sent, a.node, tag+a.number); err != nil {
			return -1, err
		}
	}
	return damaged, nil
}

// bits returns the sum of the bits of numbers as integers.
func bits(a []float64) (sum int64) {
	for _, v := range a {
		sum += int64(math.Float64bits(v))
	}
	return sum
}
