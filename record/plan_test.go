package record_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// The file of a sweep is read as it was written, line by line; a tab becomes four blanks, because
// text of records has no control characters.
func TestPlansAreKept(t *testing.T) {
	text := "name = \"two\"\r\n\n# it's \\ <é>\n\tlaunches = 2\n\n"
	plan := record.Plan{ID: "abc", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Sweep: "two", File: "two.toml", SHA256: "00", Lines: record.PlanLines([]byte(text)), Command: []string{"gobench", "sweep", "two.toml"}}
	var out bytes.Buffer
	if err := record.NewWriter(&out).WritePlan(&plan); err != nil {
		t.Fatal(err)
	}
	file, err := record.Read(&out)
	if err != nil || len(file.Plans) != 1 || len(file.Warnings) > 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	got := file.Plans[0]
	if want := []string{`name = "two"`, "", `# it's \ <é>`, "    launches = 2"}; !slices.Equal(got.Lines, want) || got.ID != "abc" || !slices.Equal(got.Command, plan.Command) {
		t.Errorf("%+v, want the lines %q", got, want)
	}
	var invalid *record.InvalidError
	if err := record.NewWriter(&out).WritePlan(&record.Plan{ID: "abc", Time: plan.Time}); !errors.As(err, &invalid) || invalid.Field != "lines" {
		t.Errorf("a plan without lines: %v", err)
	}
	if _, err := record.Read(strings.NewReader(`{"schema":"gobench/1","kind":"plan","plan":"abc","time":"2026-01-02T03:04:05Z","lines":[]}` + "\n")); err == nil {
		t.Error("a plan without lines was read")
	}
}
