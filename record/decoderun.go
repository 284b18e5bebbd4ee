package record

import (
	"encoding/json"
	"slices"
	"strings"
)

// run decodes a row of a run. The facts of the program and of the hosts hold many small values,
// which most runs of a file have in common, so that runs share them: they must not be modified.
func (d *decoder) run(line []byte, r *Run) error {
	rest, odd := append(make([]byte, 0, len(line)), '{'), false
	var hosts, program []byte
	if err := split(line, func(name, value []byte) error {
		switch {
		case string(name) == "hosts" && hosts == nil:
			hosts = value
		case string(name) == "program" && program == nil:
			program = value
		case strings.EqualFold(string(name), "hosts") || strings.EqualFold(string(name), "program"):
			odd = true // a repeated name, or one in another case: encoding/json decides
		default:
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			quoted, err := json.Marshal(string(name))
			if err != nil {
				return err
			}
			rest = append(append(append(rest, quoted...), ':'), value...)
		}
		return nil
	}); err != nil {
		return err
	}
	if odd {
		return json.Unmarshal(line, r)
	}
	if err := json.Unmarshal(append(rest, '}'), r); err != nil {
		return err
	}
	r.Clocks, r.Noise = slices.Clone(r.Clocks), slices.Clone(r.Noise) // without the room to grow
	if program != nil {
		var err error
		if r.Program, err = d.facts.of(program); err != nil {
			return err
		}
	}
	if hosts == nil {
		return nil
	}
	list, err := d.elements(hosts)
	if err != nil || list == nil {
		return err
	}
	r.Hosts = make([]any, len(list))
	for i, host := range list {
		if r.Hosts[i], err = d.host(host); err != nil {
			return err
		}
	}
	return nil
}

// elements returns the elements of an array as they are written, nil for null.
func (d *decoder) elements(array []byte) (list []json.RawMessage, err error) {
	err = json.Unmarshal(array, &list)
	return list, err
}

// host decodes the facts of a host once for all runs, and each of its members, because few of them
// change.
func (d *decoder) host(raw []byte) (any, error) {
	if raw[0] != '{' {
		return d.facts.of(raw)
	}
	if known, ok := d.hosts[string(raw)]; ok {
		return known, nil
	}
	facts := map[string]any{}
	if d.hosts == nil {
		d.hosts = map[string]map[string]any{}
	}
	if len(d.hosts) < maxDecoded {
		d.hosts[string(raw)] = facts
	}
	err := split(raw, func(name, value []byte) (err error) {
		facts[d.word(name)], err = d.facts.of(value)
		return err
	})
	return facts, err
}
