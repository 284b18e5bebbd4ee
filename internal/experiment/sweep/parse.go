package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"gobench/internal/collect"
	"gobench/internal/launch/host"
	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
	"gobench/nearest"
	"gobench/record"
)

// topKeys lists the keys outside of tables.
var topKeys = []string{"name", "launches", "seed", "budget", "programs", "skip-unavailable"}

// defaultLaunches is enough for an interval between launches, which takes six.
const defaultLaunches = 8

// peakKey is a key of any table: the sweep samples the memory of the launches.
const peakKey = "peak-memory"

// allCores is the value of np for as many ranks as cores, at most maxCores.
const allCores = "cores"

// maxCommands bounds the number of commands of a file, to detect mistakes.
const maxCommands = 10_000

// Parse parses a sweep file. Errors are *record.FileError with path.
func Parse(data []byte, path string, verbs []Verb) (*Plan, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // a byte order mark, which positionsOf would take for a part of the first key
	positions := positionsOf(data)
	fail := func(line int, err error) (*Plan, error) {
		return nil, &record.FileError{Path: path, Line: line, Err: err}
	}
	var content map[string]any
	if _, err := toml.Decode(string(data), &content); err != nil {
		if syntax, ok := errors.AsType[toml.ParseError](err); ok {
			return fail(syntax.Position.Line, fmt.Errorf("invalid TOML: %s", syntax.Message))
		}
		return fail(0, err)
	}
	p, seen := &Plan{Launches: defaultLaunches}, map[string]bool{}
	plain := maps.Clone(content)
	maps.DeleteFunc(plain, func(_ string, value any) bool { _, table := value.([]map[string]any); return table })
	for _, position := range positions.tables() {
		delete(plain, position.table) // verbOf names what is wrong with a single table
	}
	if err := positions.top().missing(plain); err != nil {
		return fail(0, err)
	}
	for _, position := range positions.top() {
		if err := p.top(position.key, content[position.key]); err != nil {
			return fail(position.line, err)
		}
	}
	verbs = append(slices.Clone(verbs), Verb{Name: foreignTable, Flags: foreignKeys})
	for i, table := range positions.tables() {
		verb, err := verbOf(table, verbs)
		if err != nil {
			return fail(table.line, err)
		}
		list, ok := content[table.table].([]map[string]any)
		if !ok || table.number >= len(list) {
			return fail(table.line, fmt.Errorf("[%s] is a single table; write [[%s]], which allows several", table.table, table.table))
		}
		if err := positions.keys(i).missing(list[table.number]); err != nil {
			return fail(table.line, err)
		}
		commands, position, err := verb.cross(positions.keys(i), list[table.number], table.line)
		if err != nil {
			return fail(position, err)
		}
		if p.Commands = append(p.Commands, commands...); len(p.Commands) > maxCommands {
			return fail(table.line, fmt.Errorf("the tables up to this line have %d launches in each block, at most %d are allowed", len(p.Commands), maxCommands))
		}
		for _, c := range commands {
			if words := strings.Join(c.Words(), "\x00"); seen[words] {
				return fail(table.line, fmt.Errorf("%s is there twice: a value of a factor, or a table, is repeated", c.Name()))
			} else {
				seen[words] = true
			}
		}
	}
	if len(p.Commands) == 0 {
		return fail(0, fmt.Errorf("it has nothing to measure: add a table such as [[p2p]] with transport = [\"smem\", \"tcp\"]"))
	}
	return p, nil
}

func verbOf(table position, verbs []Verb) (Verb, error) {
	var names []string
	for _, v := range verbs {
		if v.Name == table.table {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return Verb{}, &nearest.UnknownError{What: "table", Name: table.table, Known: names}
}

// top sets the field of a key outside of tables.
func (p *Plan) top(key string, value any) error {
	var ok bool
	switch key {
	case "name":
		p.Name, ok = value.(string)
		return wrong(ok, key, value, "a string")
	case "launches":
		var n int64
		n, ok = value.(int64)
		p.Launches = int(n)
		return wrong(ok && n >= 1 && n <= 10_000, key, value, "a number from 1 to 10000")
	case "seed":
		p.Seed, ok = value.(int64)
		return wrong(ok && p.Seed >= 1, key, value, "a number of at least 1")
	case "skip-unavailable":
		p.Skip, ok = value.(bool)
		return wrong(ok, key, value, "true or false")
	case "budget":
		var s string
		s, ok = value.(string)
		d, err := time.ParseDuration(s)
		p.Budget = d
		return wrong(ok && err == nil && d > 0, key, value, `a time such as "10m"`)
	case "programs":
		list, _ := value.([]any)
		for _, x := range list {
			s, text := x.(string)
			if !text || slices.Contains(p.Programs, s) {
				list = nil
				break
			}
			p.Programs = append(p.Programs, s)
		}
		return wrong(len(list) > 0, key, value, "a list of different paths")
	}
	return &nearest.UnknownError{What: "key", Name: key, Known: topKeys}
}

func wrong(ok bool, key string, value any, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s is %v, want %s", key, value, want)
}

// cross returns the commands of a table: all combinations of the values, the first key varying
// slowest. With an error it returns the line of the invalid key.
func (v Verb) cross(keys []position, values map[string]any, line int) ([]Command, int, error) {
	commands := []Command{{Verb: v.Name, Line: line}}
	if peak, ok := values[peakKey]; ok {
		if commands[0].Peak, ok = peak.(bool); !ok {
			return nil, line, fmt.Errorf("%s is %v, want true or false", peakKey, peak)
		}
	}
	slices.SortStableFunc(keys, func(a, b position) int { // positional arguments before flags
		return boolInt(b.key == v.Positional) - boolInt(a.key == v.Positional)
	})
	for _, k := range keys {
		if k.key == peakKey {
			continue
		}
		if v.Name != foreignTable && slices.Contains(takenKeys, k.key) {
			return nil, k.line, fmt.Errorf("%s is set by the sweep itself", k.key)
		}
		if v.Name != foreignTable && k.key != launcherKey && k.key != limitKey && !slices.Contains(v.keys(), k.key) {
			return nil, k.line, &nearest.UnknownError{What: "key", Name: k.key, Known: v.keys(), List: "keys of [[" + v.Name + "]]", Where: fmt.Sprintf("gobench %s %v lists them", v.Name, remedy.Named("help"))}
		}
		levels, err := v.levels(k.key, values[k.key])
		if err != nil {
			return nil, k.line, err
		}
		if len(commands)*len(levels) > maxCommands {
			return nil, k.line, fmt.Errorf("the table up to this line has %d launches in each block, at most %d are allowed", len(commands)*len(levels), maxCommands)
		}
		var crossed []Command
		for _, c := range commands {
			for _, args := range levels {
				c.Args = slices.Concat(c.Args, args)
				crossed = append(crossed, c)
				c.Args = c.Args[:len(c.Args)-len(args)]
			}
		}
		commands = crossed
	}
	for _, c := range commands {
		var err error
		if v.Name == foreignTable {
			_, err = foreignOf(c)
		} else {
			_, err = launcherOf(c)
		}
		if err != nil {
			return nil, line, err
		}
	}
	return commands, 0, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// levels returns the arguments for each value of a factor.
func (v Verb) levels(key string, value any) ([][]string, error) {
	list, many := value.([]any)
	if !many {
		list = []any{value}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is an empty list", key)
	}
	var levels [][]string
	for _, x := range list {
		texts := []any{x}
		if inner, ok := x.([]any); ok { // several values of one flag in one command
			texts = inner
		}
		var args []string
		for _, x := range texts {
			text, err := textOf(key, x)
			if err != nil {
				return nil, err
			}
			if key == v.Positional {
				args = append(args, strings.Fields(text)...)
			} else {
				args = append(args, "--"+key+"="+text)
			}
		}
		levels = append(levels, args)
	}
	return levels, nil
}

func textOf(key string, x any) (string, error) {
	switch x := x.(type) {
	case string:
		if key == "np" && x == allCores {
			cores, err := host.AllowedCores()
			return strconv.Itoa(min(len(cores), maxCores)), err
		}
		return x, nil
	case int64, float64, bool:
		return fmt.Sprint(x), nil
	}
	return "", fmt.Errorf("%s is %v, want a string, a number, or a list of them", key, x)
}

// position is the position of a key or of the head of a table.
type position struct {
	table  string // "" = before all tables
	number int    // number of the table among those of that name, from 0
	key    string // "" = the head
	line   int    // from 1
}

type positions []position

var (
	head = lazyregexp.New(`^\s*\[\[?\s*"?([^\]"\s]+)"?\s*\]\]?`)
	keys = lazyregexp.New(`^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_.-]+))\s*=`)
)

// positionsOf returns the lines of all keys and heads of tables. data must be valid TOML. A key is
// the first word of its line: only lists span several lines.
func positionsOf(data []byte) positions {
	var list positions
	counts := map[string]int{}
	at := position{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if m := head.FindSubmatch(line); m != nil {
			at = position{table: string(m[1]), number: counts[string(m[1])], line: i + 1}
			counts[at.table]++
			list = append(list, at)
			continue
		}
		if m := keys.FindSubmatch(line); m != nil {
			list = append(list, position{at.table, at.number, string(m[1]) + string(m[2]) + string(m[3]), i + 1})
		}
	}
	return list
}

// top returns the keys outside of tables.
func (p positions) top() positions {
	return slices.DeleteFunc(slices.Clone(p), func(x position) bool { return x.table != "" })
}

// missing returns an error for a value whose key is not among the places: it stands on the line of
// another key, or in another form of TOML.
func (p positions) missing(values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(p, func(x position) bool { return x.key == name }) {
			return fmt.Errorf("key %q is not found: write %s = ... on a line of its own", name, name)
		}
	}
	return nil
}

// tables returns the heads of tables.
func (p positions) tables() positions {
	return collect.If(p, func(x position) bool { return x.table != "" && x.key == "" })
}

// keys returns the keys of the i-th table of the file.
func (p positions) keys(i int) positions {
	at := p.tables()[i]
	return collect.If(p, func(x position) bool { return x.table == at.table && x.number == at.number && x.key != "" })
}
