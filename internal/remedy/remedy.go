// Package remedy names options in the texts of libraries, such as the remedy of an error. A library
// does not know how its user sets an option: a program with a command line has flags, and a Go
// program has fields. It puts an Option into the text, and the program words it.
package remedy

import "fmt"

// An Option is an option of a command, or of a transport, and the value to give it. A library names
// what to change by it.
type Option struct {
	Name      string // "start"
	Value     string // "barrier", "" = the option alone
	Transport bool   // the option of a transport
}

// Named returns an option without a value.
func Named(name string) Option { return Option{Name: name} }

// Set returns an option with a value, as fmt.Sprint formats it.
func Set(name string, value any) Option { return Option{Name: name, Value: fmt.Sprint(value)} }

// Transport returns an option of a transport with a value.
func Transport(name string, value any) Option {
	return Option{Name: name, Value: fmt.Sprint(value), Transport: true}
}

// String returns the option in the words of this program; without Wording they are the name, an
// equals sign and the value.
func (o Option) String() string { return wording(o) }

var wording = plain

func plain(o Option) string {
	if o.Value == "" {
		return o.Name
	}
	return o.Name + "=" + o.Value
}

// Wording sets the words of this program for options. Package main calls it in an init function;
// nil restores the usual words.
func Wording(f func(Option) string) {
	wording = f
	if f == nil {
		wording = plain
	}
}

// A Text is a sentence with options. They are worded when the text is printed, so that a Text may be
// a variable of a package.
type Text struct {
	format string
	args   []any
}

// Textf returns a text from a format of package fmt, among whose arguments are Options.
func Textf(format string, args ...any) Text { return Text{format, args} }

func (t Text) String() string { return fmt.Sprintf(t.format, t.args...) }

// An Error is an error that names options. A caller that words them differently than in a sentence,
// as at the fields of a form, finds them in Options.
type Error struct {
	Options []Option // in the order of the text
	text    Text
	err     error
}

// Errorf is fmt.Errorf with Options among the arguments. It returns an *Error.
func Errorf(format string, args ...any) error {
	e := &Error{text: Text{format, args}, err: fmt.Errorf(format, args...)}
	for _, a := range args {
		if o, ok := a.(Option); ok {
			e.Options = append(e.Options, o)
		}
	}
	return e
}

// Error returns the sentence, with the words of this program.
func (e *Error) Error() string { return fmt.Errorf(e.text.format, e.text.args...).Error() }

// Unwrap returns what the verbs %w of the format wrap.
func (e *Error) Unwrap() []error {
	switch wrapped := e.err.(type) {
	case interface{ Unwrap() error }:
		return []error{wrapped.Unwrap()}
	case interface{ Unwrap() []error }:
		return wrapped.Unwrap()
	}
	return nil
}
