package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A change is an entry of CHANGELOG.md: a version, its day, and what changed, one line for each.
type change struct {
	version string
	day     time.Time
	items   []string
}

var heading = regexp.MustCompile(`^## (v\S+), (\d{4}-\d{2}-\d{2})$`)

// maxColumns is the greatest length of an item: Debian allows 80 columns, with an indentation.
const maxColumns = 76

// parseChanges reads CHANGELOG.md: headings "## VERSION, DAY", newest first, and lists below them,
// whose items are single lines.
func parseChanges(text string) ([]change, error) {
	var changes []change
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			m := heading.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("CHANGELOG.md: %q is not of the form \"## v0.9.0, 2026-11-26\"", line)
			}
			day, err := time.Parse(time.DateOnly, m[2])
			if err != nil {
				return nil, fmt.Errorf("CHANGELOG.md: %w", err)
			}
			changes = append(changes, change{version: m[1], day: day})
		case len(changes) == 0 || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "### "):
		case strings.HasPrefix(line, "- "):
			c := &changes[len(changes)-1]
			if len(line) > maxColumns {
				return nil, fmt.Errorf("CHANGELOG.md: %q has more than %d columns: change logs of packages break no lines", line, maxColumns)
			}
			c.items = append(c.items, plain(line[2:]))
		default:
			return nil, fmt.Errorf("CHANGELOG.md: %q below %s is no item of a list", line, changes[len(changes)-1].version)
		}
	}
	for _, c := range changes {
		if len(c.items) == 0 {
			return nil, fmt.Errorf("CHANGELOG.md: the entry of %s is empty", c.version)
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("CHANGELOG.md has no entry \"## VERSION, DAY\"")
	}
	return changes, nil
}

// plain returns text without the marks of Markdown for code and emphasis.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

// chglog returns the entries in the format that nfpm reads (goreleaser/chglog).
func chglog(changes []change, maintainer string) ([]byte, error) {
	type item struct {
		Text string `yaml:"note"`
	}
	type entry struct {
		Semver   string `yaml:"semver"`
		Date     string `yaml:"date"`
		Packager string `yaml:"packager"`
		Deb      struct {
			Urgency       string   `yaml:"urgency"`
			Distributions []string `yaml:"distributions"`
		} `yaml:"deb"`
		Changes []item `yaml:"changes"`
	}
	var entries []entry
	for _, c := range changes {
		e := entry{Semver: strings.TrimPrefix(c.version, "v") + "-1", Date: c.day.Format(time.RFC3339), Packager: maintainer}
		e.Deb.Urgency, e.Deb.Distributions = "low", []string{"stable"}
		for _, n := range c.items {
			e.Changes = append(e.Changes, item{n})
		}
		entries = append(entries, e)
	}
	return yaml.Marshal(entries)
}
