// Package price computes the cost of a run from a price book, which has a date and a source for
// each price, and a description of a cluster.
package price

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"gobench/nearest"
	"gobench/record"
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
	Date    string  `toml:"date"`     // year, month, day, or begin/end
	Source  string  `toml:"source"`
}

// Load reads a price book. Errors are *record.FileError.
func Load(path string) (*Book, error) {
	return load(path, (*Book).check, "name", "currency", "source", "price.type", "price.option", "price.per_hour", "price.date", "price.source")
}

func (b *Book) check() error {
	if b.Currency == "" || len(b.Prices) == 0 {
		return errors.New("a price book needs a currency and at least one [[price]]")
	}
	for i, p := range b.Prices {
		if err := p.check(); err != nil {
			return fmt.Errorf("price %d (%s %s): %w", i+1, p.Type, p.Option, err)
		}
	}
	return nil
}

func (p *Price) check() error {
	if p.Type == "" || p.Option == "" || p.Date == "" || p.Source == "" || !(p.PerHour > 0) {
		return errors.New("type, option, date, source and a positive per_hour must be given")
	}
	begin, end, _ := strings.Cut(p.Date, "/")
	if err := cmp.Or(CheckDate(begin), CheckDate(cmp.Or(end, begin))); err != nil {
		return err
	}
	if end != "" && after(begin, end) {
		return fmt.Errorf("it ends in %s, before it begins in %s", end, begin)
	}
	return nil
}

// load decodes a file of TOML, whose unknown keys are errors, and checks its contents. Errors are
// *record.FileError.
func load[T any](path string, check func(*T) error, known ...string) (*T, error) {
	into := new(T)
	meta, err := toml.DecodeFile(path, into)
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	} else if unknown := meta.Undecoded(); err == nil && len(unknown) > 0 {
		err = &nearest.UnknownError{What: "key", Name: unknown[0].String(), Known: known}
	} else if err == nil {
		err = check(into)
	}
	if err != nil {
		return nil, &record.FileError{Path: path, Err: err}
	}
	return into, nil
}

// Find returns the price of a type in an option that is in force at a date: of the prices that
// begin at the date or before it and have not ended, the one that begins last. A date is a year,
// month or day in the form of CheckDate, and includes all of its days; "" is the latest price. Of
// prices that begin together the last one in the book counts.
func (b *Book) Find(kind, option, date string) (Price, error) {
	var types []string
	var found, ended, first *Price // in force, before the date, and the earliest of any date
	for i := range b.Prices {
		p := &b.Prices[i]
		types = append(types, p.Type)
		if p.Type != kind || p.Option != option {
			continue
		}
		if first == nil || p.begin() < first.begin() {
			first = p
		}
		if !after(p.begin(), date) && (ended == nil || p.begin() >= ended.begin()) {
			ended = p
		}
		if p.holds(date) && (found == nil || p.begin() >= found.begin()) {
			found = p
		}
	}
	switch {
	case found != nil:
		return *found, nil
	case ended != nil:
		return Price{}, fmt.Errorf("the price book %s has no %s price of %s for %s: the one before is of %s", b.Name, option, kind, date, ended.Date)
	case first != nil:
		return Price{}, fmt.Errorf("the price book %s has no %s price of %s for %s: its first one is of %s", b.Name, option, kind, date, first.Date)
	case slices.Contains(types, kind):
		return Price{}, fmt.Errorf("the price book %s has no %s price of %s", b.Name, option, kind)
	}
	slices.Sort(types)
	return Price{}, &nearest.UnknownError{What: "type of node", Name: kind, Known: slices.Compact(types), List: "the price book knows"}
}

// begin returns the day, month or year from which a price holds.
func (p *Price) begin() string {
	begin, _, _ := strings.Cut(p.Date, "/")
	return begin
}

// holds reports whether a price begins at a date or before it, and has no end before the date; ""
// is after the begin of all prices and before their end.
func (p *Price) holds(date string) bool {
	begin, end, _ := strings.Cut(p.Date, "/")
	return date == "" || !after(begin, date) && (end == "" || !after(date, end))
}

// after reports whether date a is after date b. A date that says less than the other one includes
// it.
func after(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] > b[:n]
}

// CheckDate returns an error unless date is a year, a month or a day: 2012, 2012-07, 2012-07-31.
func CheckDate(date string) error {
	for _, form := range []string{"2006", "2006-01", time.DateOnly} {
		if _, err := time.Parse(form, date); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%q is no date of a price: want a year, month or day, such as 2012, 2012-07 or 2012-07-31", date)
}
