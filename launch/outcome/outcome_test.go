package outcome

import "testing"

// The end of a rank is given with the reason that the rank has told.
func TestStatusHasReason(t *testing.T) {
	s := Status{Rank: 1, PID: 64, Code: 1, Host: "h2"}
	for told, want := range map[string]string{"": "process 64 on h2 exited with code 1", "no local port is free": "process 64 on h2 exited with code 1: no local port is free"} {
		if s.Told = told; s.String() != want {
			t.Errorf("it is %q, want %q", s, want)
		}
	}
}
