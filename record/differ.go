package record

import (
	"bytes"
	"fmt"
	"strings"
)

// A member is a member of a row.
type member struct {
	name   []byte // as written, with the colon
	value  []byte // as written
	key    string // the name without escapes
	metric string // the key of the metric; empty = no metric
	field  int    // the index of the field of Point, -1 = none
}

// A differ splits rows into members. It compares each with that of the row before, whose memory it
// keeps.
type differ struct {
	before, now []member
	next        int // index in before of the member that is expected

	metric Value // that of the member, if it is one in the usual form
	usual  bool
}

// each calls visit with the members of a JSON object and their values in their order. same reports
// that the row before has the same text for the member. Errors are as of split; a name that
// differs from that of a field only in its case is one, too.
func (d *differ) each(object []byte, visit func(m *member, value []byte, same bool) error) error {
	s := splitter{b: object}
	d.next, d.now = 0, d.now[:0]
	err := s.object(func() error {
		for {
			s.skipSpace()
			m, err := d.name(&s)
			if err != nil {
				return err
			}
			same := d.same(&s, m.value)
			if from := s.at; !same {
				if d.usual = false; m.metric != "" {
					if d.metric, d.usual = s.metric(); !d.usual {
						s.at = from
					}
				}
				if !d.usual && !s.value(1) {
					return errSyntax
				}
				m.value = s.b[from:s.at]
			}
			d.now = append(d.now, m)
			if err := visit(&d.now[len(d.now)-1], m.value, same); err != nil {
				return err
			}
			switch s.after('}') {
			case end:
				return nil
			case wrong:
				return errSyntax
			}
		}
	})
	d.before, d.now = d.now, d.before
	return err
}

// name reads the name of a member. It returns the member of that name of the row before, or a new
// one without a value.
func (d *differ) name(s *splitter) (member, error) {
	from := s.at
	for i := d.next; i < len(d.before); i++ {
		if m := &d.before[i]; bytes.HasPrefix(s.b[from:], m.name) {
			d.next = i + 1
			s.at += len(m.name)
			s.skipSpace()
			return *m, nil
		}
	}
	key, err := s.name()
	if err != nil {
		return member{}, err
	}
	m := member{name: s.b[from:s.at], key: string(key), field: -1}
	if i, ok := pointFields[m.key]; ok {
		m.field = i
	} else if exact, ok := pointFolded[strings.ToLower(m.key)]; ok {
		// encoding/json accepts names in any case, so two spellings could contradict each other.
		return m, fmt.Errorf("field %q must be spelled %q", key, exact)
	} else if metric, ok := Lookup(m.key); ok && metric.Key == m.key {
		m.metric = m.key
	}
	return m, nil
}

// same skips a value that equals that of the row before.
func (d *differ) same(s *splitter, value []byte) bool {
	end := s.at + len(value)
	if len(value) == 0 || end >= len(s.b) || s.b[end] != ',' && s.b[end] != '}' || !bytes.Equal(s.b[s.at:end], value) {
		return false
	}
	s.at = end
	return true
}
