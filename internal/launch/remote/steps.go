package remote

import (
	"fmt"
	"sync"
	"time"

	"gobench/internal/launch/hostlist"
)

// steps holds the progress of each host.
type steps struct {
	mu sync.Mutex
	of []string // "" = it is there
}

func (s *steps) set(i int, step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[i] = step
}

// watch passes the hosts that are not connected to notice, every noticeAfter, until stop.
func (s *steps) watch(hosts []hostlist.Host, notice func(string)) (stop func()) {
	if notice == nil {
		return func() {}
	}
	ticks := time.NewTicker(noticeAfter)
	end := make(chan struct{})
	go func() {
		for {
			select {
			case <-end:
				return
			case <-ticks.C:
			}
			s.mu.Lock()
			missing, n := map[string][]string{}, 0 // by step
			for i, step := range s.of {
				if step != "" {
					missing[step] = append(missing[step], hosts[i].Name)
					n++
				}
			}
			s.mu.Unlock()
			if n > 0 {
				notice(fmt.Sprintf("waiting for %d of %d hosts: %s", n, len(hosts), hostlist.WithReasons(missing)))
			}
		}
	}()
	return func() { ticks.Stop(); close(end) }
}
