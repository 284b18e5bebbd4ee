package terminal

import (
	"strings"
	"sync"
)

// A Tail keeps the last 2048 bytes of what is written to it.
type Tail struct {
	mu sync.Mutex
	b  []byte
}

// Write implements io.Writer.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	t.b = t.b[max(0, len(t.b)-2048):]
	return len(b), nil
}

// Reset forgets what was written.
func (t *Tail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = t.b[:0]
}

// Lines returns the lines that it keeps, as Plain writes them: another host may have written them.
func (t *Tail) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.b), func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = Plain(line, '\t')
	}
	return lines
}
