package record

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validateRow(t *testing.T, s *jsonschema.Schema, row []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(row))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestWrittenRowsMatchTheSchema(t *testing.T) {
	s := compileSchema(t)
	minimal := &Point{Run: "r", Time: testTime, Bench: "b", Transport: "t", Level: "raw", Ranks: 1, RankKind: "goroutine",
		Iterations: 1, Metrics: ValuesOf(map[string]Value{"t_s": {Median: 1, N: 1}})}
	batched := samplePoint()
	batched.Batched = 16
	v := batched.Metrics.Get("half_rtt_s")
	v.P50, v.P90, v.P99, v.P999 = 0, 0, 0, 0
	batched.Metrics.Set("half_rtt_s", v)
	extra := samplePoint()
	extra.Extra = map[string]json.RawMessage{"from_the_future": json.RawMessage(`{"a":[1,2]}`)}

	imported := sampleRun()
	imported.Source = &Source{Name: "imb.log", SHA256: strings.Repeat("0a", 32)}
	average := &Point{Run: "r", Time: testTime, Bench: "b", Transport: "t", Level: "raw", Ranks: 1, RankKind: "process", Iterations: 1,
		Metrics: ValuesOf(map[string]Value{"t_s": {Median: 1, N: 1, Statistic: Mean}, "overlap_ratio": {N: 1, Statistic: Mean}, "mops": {Median: 1, N: 1, Statistic: Best}})}

	var out bytes.Buffer
	w := NewWriter(&out)
	for _, err := range []error{
		w.WriteRun(sampleRun()), w.WriteRun(&Run{ID: "r", Time: testTime, Command: []string{"gobench"}, Job: Job{Launcher: "local", Ranks: 1}}),
		w.WritePoint(samplePoint()), w.WritePoint(minimal), w.WritePoint(batched), w.WritePoint(extra), w.WriteRun(imported), w.WritePoint(average), w.WriteLaunch(sampleLaunch()), w.WriteFailure(sampleFailure()),
		w.WritePlan(&Plan{ID: "p", Time: testTime, Sweep: "s", File: "s.toml", SHA256: strings.Repeat("0a", 32), Lines: []string{"name = \"s\"", ""}, Command: []string{"gobench", "sweep", "s.toml"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for row := range bytes.Lines(out.Bytes()) {
		if err := validateRow(t, s, row); err != nil {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// inSchema returns the schema of a field.
func (f *Factor) inSchema() any {
	ref := func(name string) any { return map[string]any{"$ref": "#/$defs/" + name} }
	switch f.form {
	case text:
		if f.values == nil {
			return ref("name")
		}
		list := []any{}
		for _, v := range f.values {
			list = append(list, v)
		}
		return map[string]any{"enum": list}
	case count:
		return ref("count")
	case positive:
		return ref("positive")
	case integer:
		return map[string]any{"type": "integer"}
	case quantity:
		return ref("quantity")
	case share:
		return map[string]any{"type": "number", "exclusiveMinimum": 0.0, "maximum": 1.0}
	case flag:
		return map[string]any{"const": true}
	case coreList:
		return ref("cores")
	case options:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	case counts:
		return map[string]any{"type": "object", "additionalProperties": ref("positive")}
	}
	return nil
}

// The schema contains the fields and metrics of the tables with their forms, and the objects of
// applications.
func TestTheSchemaFollowsTheTables(t *testing.T) {
	b, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Defs struct {
			Point struct {
				Required   []string
				Properties map[string]any
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	got := file.Defs.Point
	var required []string
	want := map[string]any{}
	for _, f := range Factors {
		if f.Name == "run" || f.form == fixed {
			continue // of all rows
		}
		want[f.Name] = f.inSchema()
		if f.required || f.form == count {
			required = append(required, f.Name)
		}
	}
	for _, m := range Metrics {
		of := "rate"
		switch {
		case m.Time():
			of = "value"
		case m.Share():
			of = "ratio"
		}
		want[m.Key] = map[string]any{"$ref": "#/$defs/" + of}
	}
	for _, name := range []string{"phases_s", "waited_s", "verified", "messages"} {
		want[name] = got.Properties[name]
	}
	for name := range want {
		if !reflect.DeepEqual(got.Properties[name], want[name]) {
			line, err := json.Marshal(want[name])
			t.Errorf("schema.json has %v for %s, the table %q: %s (%v)", got.Properties[name], name, name, line, err)
		}
	}
	for name := range got.Properties {
		if _, ok := want[name]; !ok {
			t.Errorf("schema.json has %s, the tables do not", name)
		}
	}
	slices.Sort(required)
	slices.Sort(got.Required)
	if !slices.Equal(got.Required, required) {
		t.Errorf("schema.json requires %v, the table %v", got.Required, required)
	}
}

// wrongRows lists changes of a valid row. The schema and Read refuse each changed row.
var wrongRows = []struct {
	name     string
	kind     string
	old, new string
}{
	{"another schema", KindPoint, `"schema":"gobench/1"`, `"schema":"gobench/2"`},
	{"no kind", KindPoint, `"kind":"point",`, ``},
	{"no time", KindPoint, `"time":"2026-11-21T12:00:00Z",`, ``},
	{"no such time", KindPoint, `"time":"2026-11-21T12:00:00Z"`, `"time":"yesterday"`},
	{"no run", KindPoint, `"run":"20261121T120000Z-0badcafe"`, `"run":""`},
	{"no bench", KindPoint, `"bench":"pingpong",`, ``},
	{"size as text", KindPoint, `"size_B":1024`, `"size_B":"1024"`},
	{"negative size", KindPoint, `"size_B":1024`, `"size_B":-1`},
	{"no ranks", KindPoint, `"ranks":2`, `"ranks":0`},
	{"unknown level", KindPoint, `"level":"device"`, `"level":"mpi"`},
	{"unknown reason to stop", KindPoint, `"stopped":"precise"`, `"stopped":"bored"`},
	{"options not text", KindPoint, `"copy":"auto"`, `"copy":1`},
	{"iterations missing", KindPoint, `"iterations":200,`, ``},
	{"metric without median", KindPoint, `"half_rtt_s":{"median":`, `"half_rtt_s":{"mean":`},
	{"metric as number", KindPoint, `"half_rtt_s":{`, `"half_rtt_s":1,"x":{`},
	{"n of zero", KindPoint, `"n":200`, `"n":0`},
	{"percentiles of batches", KindPoint, `"cache":"warm"`, `"cache":"warm","batched":8`},
	{"no metric", KindPoint, `"half_rtt_s":`, `"x":`},
	{"no command", KindRun, `"command":["gobench","p2p","--transport=smem"]`, `"command":[]`},
	{"no job", KindRun, `"job":`, `"jobs":`},
	{"program no object", KindRun, `"program":{"go":"go1.26.8","gomaxprocs":4}`, `"program":"go1.26.8"`},
	{"clock without cost", KindRun, `"cost_s":2.6e-8`, `"cost_s":0`},
	{"more than all time lost", KindRun, `"lost":0.0001`, `"lost":1.5`},
	{"core that cannot be", KindPoint, `"cores":[2,3]`, `"cores":[2,-7]`},
	{"hosts no objects", KindRun, `"hosts":[{`, `"hosts":["a",{`},
}

func TestTheSchemaRefusesWrongRows(t *testing.T) {
	s := compileSchema(t)
	var out bytes.Buffer
	w := NewWriter(&out)
	succeed(t, w.WriteRun(sampleRun()))
	run := out.String()
	out.Reset()
	succeed(t, w.WritePoint(samplePoint()))
	point := out.String()
	for _, c := range wrongRows {
		t.Run(c.name, func(t *testing.T) {
			row := point
			if c.kind == KindRun {
				row = run
			}
			if !strings.Contains(row, c.old) {
				t.Fatalf("the row has no %s: %s", c.old, row)
			}
			row = strings.ReplaceAll(row, c.old, c.new)
			if c.name == "no metric" {
				row = strings.ReplaceAll(row, `"bandwidth_Bps":`, `"y":`)
			}
			if validateRow(t, s, []byte(row)) == nil {
				t.Errorf("the schema accepts %s", row)
			}
			if _, err := Read(strings.NewReader(row)); err == nil {
				t.Errorf("the reader accepts %s", row)
			}
		})
	}
}

// types holds the names of forms in SCHEMA.md.
var types = map[form]string{
	text: "text", count: "integer", positive: "integer", integer: "integer", quantity: "number", share: "number", flag: "true",
	coreList: "array per rank", options: "object of text",
}

// The document names every field and metric, and its example is valid.
func TestTheDocumentIsComplete(t *testing.T) {
	document, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Factors {
		row := "`" + f.Name + "`"
		if f.Role != Outcome {
			row = "\n| " + row + " | " + types[f.form] + " |"
		}
		if !bytes.Contains(document, []byte(row)) {
			t.Errorf("SCHEMA.md has no %q", row)
		}
	}
	for _, m := range Metrics {
		if !bytes.Contains(document, []byte("| `"+m.Key+"` | "+string(m.Direction)+" |")) {
			t.Errorf("SCHEMA.md does not explain the metric %s, %s is better", m.Key, m.Direction)
		}
	}
	_, example, _ := strings.Cut(string(document), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if err := validateRow(t, compileSchema(t), []byte(example)); err != nil {
		t.Error(err)
	}
	if f, err := Read(strings.NewReader(example)); err != nil || len(f.Points) != 1 {
		t.Error(err)
	}
}
