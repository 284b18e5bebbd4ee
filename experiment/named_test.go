package experiment

import (
	"context"
	"errors"
	"testing"
)

// hosted is a job of three ranks on two hosts.
type hosted struct{ names []string }

func (hosted) Rank() int                                          { return 0 }
func (hosted) Size() int                                          { return 3 }
func (hosted) LocalSize() int                                     { return 2 }
func (j hosted) Hosts() []int                                     { return []int{0, 0, 1}[:len(j.names)] }
func (j hosted) HostName(rank int) string                         { return j.names[rank] }
func (hosted) Exchange(context.Context, []byte) ([][]byte, error) { return nil, nil }

func TestRanksAreNamedWithTheirHosts(t *testing.T) {
	job := hosted{[]string{"h1", "h1", "h2"}}
	for _, c := range []struct{ text, want string }{
		{"nothing about them", "nothing about them"},
		{"linking memory with rank 2: no", "linking memory with rank 2 on h2: no"},
		{"rank 2 on h2 is lost", "rank 2 on h2 is lost"},
		{"rank 1 of 3 waits for rank 2", "rank 1 of 3 on h1 waits for rank 2 on h2"},
		{"ranks 0 and 2 run different versions", "rank 0 on h1 and rank 2 on h2 run different versions"},
		{"rank 1 on core 5", "rank 1 on h1 on core 5"},
		{"rank 17 came, and a crank 1", "rank 17 came, and a crank 1"},
	} {
		err := errors.New(c.text)
		if got := named(job, err); got.Error() != c.want || !errors.Is(got, err) {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
	if got := nameHosts(hosted{[]string{"h1", "h1"}}, "rank 1 fails"); got != "rank 1 fails" {
		t.Errorf("on one host: %q", got)
	}
}
