// Package price computes the cost of a run from a price book, which has a date and a source for
// each price, and a description of a cluster.
package price

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"gobench/bench/record"
	"gobench/internal/nearest"
)

// Book is a list of prices of one provider.
type Book struct {
	Name     string  `toml:"name"`
	Currency string  `toml:"currency"` // "USD"
	Source   string  `toml:"source"`
	Prices   []Price `toml:"price"`
}

// A Price is the cost of one node of a type for an hour.
type Price struct {
	Type    string  `toml:"type"`     // "cc2.8xlarge"
	Option  string  `toml:"option"`   // "on-demand", "spot", "reserved"
	PerHour float64 `toml:"per_hour"` // in the currency of the book
	Date    string  `toml:"date"`     // year, day, or begin/end
	Source  string  `toml:"source"`
}

// Load reads a price book. Errors are *record.FileError.
func Load(path string) (*Book, error) {
	var b Book
	if err := load(path, &b, "name", "currency", "source", "price.type", "price.option", "price.per_hour", "price.date", "price.source"); err != nil {
		return nil, &record.FileError{Path: path, Err: err}
	}
	if b.Currency == "" || len(b.Prices) == 0 {
		return nil, &record.FileError{Path: path, Err: errors.New("a price book needs a currency and at least one [[price]]")}
	}
	for i, p := range b.Prices {
		if p.Type == "" || p.Option == "" || p.Date == "" || p.Source == "" || !(p.PerHour > 0) {
			return nil, &record.FileError{Path: path, Err: fmt.Errorf("price %d (%s %s): type, option, date, source and a positive per_hour must be given", i+1, p.Type, p.Option)}
		}
	}
	return &b, nil
}

// load decodes a file of TOML. Unknown keys are errors.
func load(path string, into any, known ...string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return err
	}
	meta, err := toml.Decode(string(data), into)
	if err != nil {
		return err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return &nearest.UnknownError{What: "key", Name: unknown[0].String(), Known: known}
	}
	return nil
}

// Find returns the latest price of a type in an option whose date begins with date, such as "2013";
// date may be empty. Prices in the book are in the order of time.
func (b *Book) Find(kind, option, date string) (Price, error) {
	var types []string
	for _, p := range slices.Backward(b.Prices) {
		types = append(types, p.Type)
		if p.Type == kind && p.Option == option && (date == "" || strings.HasPrefix(p.Date, date)) {
			return p, nil
		}
	}
	if !slices.Contains(types, kind) {
		slices.Sort(types)
		return Price{}, &nearest.UnknownError{What: "type of node", Name: kind, Known: slices.Compact(types), List: "the price book knows"}
	}
	at := ""
	if date != "" {
		at = " of " + date
	}
	return Price{}, fmt.Errorf("the price book %s has no %s price of %s%s", b.Name, option, kind, at)
}
