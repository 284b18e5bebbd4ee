package measure

import (
	"bytes"
	"io"
)

// onceWriter lets every whole line through once: what all ranks have to say
// for the same reason is read once.
type onceWriter struct {
	w    io.Writer
	part []byte
	seen map[string]bool
}

func (o *onceWriter) Write(b []byte) (int, error) {
	o.part = append(o.part, b...)
	for {
		end := bytes.IndexByte(o.part, '\n') + 1
		if end == 0 {
			return len(b), nil
		}
		line := string(o.part[:end])
		o.part = o.part[end:]
		if o.seen[line] && line != "\n" {
			continue
		}
		if o.seen == nil {
			o.seen = map[string]bool{}
		}
		o.seen[line] = true
		if _, err := io.WriteString(o.w, line); err != nil {
			return 0, err
		}
	}
}
