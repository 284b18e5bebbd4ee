package device

import "testing"

// countingJob makes a new list of hosts for each call of Hosts.
type countingJob struct {
	Job
	size, calls int
}

func (j *countingJob) Hosts() []int {
	j.calls++
	return make([]int, j.size)
}

func (j *countingJob) HostName(int) string { return "h1" }

// A rank asks for the name of every peer that leaves, so that the cost must not grow with the
// square of their number.
func TestHostNameListsHostsOnce(t *testing.T) {
	j := &countingJob{size: 256}
	if name := HostName(j, 3); name != "" || j.calls != 1 {
		t.Errorf("the name is %q after %d lists", name, j.calls)
	}
}
