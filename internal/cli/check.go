package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
	"gobench/nearest"
)

// Check returns an error if the first word of a command line is no verb, or if words beside --help
// are no arguments of the verb. It is called before cobra runs root, because cobra answers a flag
// such as --help whatever the words beside it are.
func (p *Program) Check(root *cobra.Command, args []string) error {
	about, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 && strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return err
	}
	if about.HasParent() {
		return p.checkArguments(args)
	}
	for _, word := range rest {
		switch {
		case slices.Contains([]string{"-h", "--help", "-v", "--version", "--"}, word):
		case strings.HasPrefix(word, "-"):
			return nil // cobra names the unknown flag
		default:
			return p.Unknown(root, word)
		}
	}
	return nil
}

// checkArguments returns an error if a command line that asks for the help of a verb has arguments
// that the verb refuses, or any command line of the verbs that cobra adds. It parses the flags, so
// it makes the commands anew.
func (p *Program) checkArguments(args []string) error {
	root := p.Root(args)
	verb, rest, err := root.Find(args)
	helps := slices.ContainsFunc(rest, func(word string) bool { return word == "-h" || word == "--help" })
	if err != nil || verb.DisableFlagParsing || !helps && !verb.HasSubCommands() && verb.Parent() == root {
		return err
	}
	verb.InitDefaultHelpFlag()
	if verb.ParseFlags(rest) != nil {
		return nil // cobra returns the same error
	}
	words := verb.Flags().Args()
	switch {
	case len(words) == 0:
		return nil
	case verb.HasSubCommands():
		return &exit.UsageError{Err: &nearest.UnknownError{What: "command of " + verb.Name(), Name: words[0], Known: Verbs(verb)}}
	}
	if err = verb.ValidateArgs(words); err == nil {
		err = p.missing(verb, words)
	}
	if err != nil && !errors.As(err, new(*exit.UsageError)) {
		err = &exit.UsageError{Err: err}
	}
	return err
}

// missing returns an error if an argument of a verb that reads files is no file. Without --help the
// verb itself names it.
func (p *Program) missing(verb *cobra.Command, words []string) error {
	kind := verb.Annotations[Reads]
	for _, word := range words {
		if kind == "" || word == "-" || kind != "files" && p.Embedded(word) {
			continue
		}
		if _, err := os.Stat(word); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no file or directory %q: %s --help alone explains the command", word, verb.CommandPath())
		}
	}
	return nil
}

// FlagError rephrases errors of package pflag, as errors of usage.
func (p *Program) FlagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			name, _, _ = strings.Cut("-"+s, "=")
		}
		if answer := p.foreign(cmd, name); answer != "" {
			return Usagef("unknown flag %q%s", name, answer)
		}
		err = &nearest.UnknownError{What: "flag", Name: name, Known: known, List: "flags of " + cmd.Name(), Where: cmd.CommandPath() + " --help lists all flags"}
	case errors.As(err, &value) && shortest(value.GetFlag()) == "-n" && strings.HasPrefix(value.GetValue(), "p"):
		err = errors.New("-np has one dash too few or a letter too many: write -n 4 or --np=4")
	case errors.As(err, &value) && value.GetFlag().Value.Type() == "func":
		err = fmt.Errorf("%s is %q, %w", shortest(value.GetFlag()), value.GetValue(), value.Unwrap())
	case errors.As(err, &value):
		err = fmt.Errorf("%s is %q, want %s", shortest(value.GetFlag()), value.GetValue(), wanted(value.GetFlag()))
	case errors.As(err, &missing):
		err = fmt.Errorf("%s needs a value: %s", shortest(missing.GetFlag()), wanted(missing.GetFlag()))
	}
	return &exit.UsageError{Err: err}
}

// foreign answers a flag that a verb lacks: a word of another program by the flags that mean the
// same and, if the verb lacks these, or the flag is one of other verbs, by the verbs that have
// them. It returns "" if there is no such answer.
func (p *Program) foreign(cmd *cobra.Command, name string) string {
	word := name
	if len(name) > 2 && '0' <= name[2] && name[2] <= '9' {
		word = name[:2] // of -t30
	}
	answer := cmp.Or(p.Foreign[cmd.Name()+" "+word], p.Foreign[word])
	flags := []string{strings.TrimPrefix(name, "--")}
	if answer != "" {
		answer, flags = ": "+answer, flagsIn(answer)
	}
	var owners []string
	for _, verb := range append([]*cobra.Command{cmd}, cmd.Root().Commands()...) {
		if slices.ContainsFunc(flags, func(flag string) bool { return verb.Flags().Lookup(flag) == nil }) {
			continue
		}
		if verb == cmd {
			return answer
		}
		if verb.IsAvailableCommand() {
			owners = append(owners, verb.Name())
		}
	}
	if len(owners) == 0 {
		return ""
	}
	return fmt.Sprintf("%s; that is for gobench %s; %s --help lists all flags", answer, strings.Join(owners, ", "), cmd.CommandPath())
}

func shortest(f *pflag.Flag) string {
	name, _, _ := strings.Cut(names(f), ",")
	return name
}

// wanted describes the values of a flag, by its type.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint64":
		return "a whole number"
	case "duration":
		return "a time such as 500ms, 2s, or 2 for seconds"
	case "bool":
		return "true or false"
	}
	name, usage := pflag.UnquoteUsage(f)
	about, _, _ := strings.Cut(usage, ":")
	return name + ": " + strings.TrimPrefix(about, name+" ")
}

// None is the check of a verb without arguments.
func None(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no arguments, only flags: %q is too much", cmd.Name(), args[0])
	}
	return nil
}

// OneOrNone returns the check of a verb with one argument or none; what describes it.
func OneOrNone(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return Usagef("%s takes one %s: %q is too much", cmd.Name(), what, args[1])
		}
		return nil
	}
}

// OneOrMore returns the check of a verb with one argument or more.
func OneOrMore(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("%s needs a %s: gobench %s", cmd.Name(), what, cmd.Use)
		}
		return nil
	}
}

// One returns the check of a verb with one argument.
func One(what string) cobra.PositionalArgs {
	return cobra.MatchAll(OneOrMore(what), OneOrNone(what))
}

// Usagef returns an error with exit code 2.
func Usagef(format string, args ...any) error {
	return &exit.UsageError{Err: fmt.Errorf(format, args...)}
}

// TimeVar registers a flag whose value is a time, with the value of to as its default. A number
// without a unit is in seconds.
func TimeVar(flags *pflag.FlagSet, to *time.Duration, name, usage string) {
	flags.Var((*timeValue)(to), name, usage)
}

// ParseTime parses a time as TimeVar does.
func ParseTime(text string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	return time.ParseDuration(text)
}

type timeValue time.Duration

func (t *timeValue) String() string { return time.Duration(*t).String() }

// Type implements pflag.Value; see wanted.
func (t *timeValue) Type() string { return "duration" }

func (t *timeValue) Set(text string) error {
	d, err := ParseTime(text)
	*t = timeValue(d)
	return err
}

// NotEmpty returns the function of a flag that stores its value and refuses an empty one, which
// usually comes from an unset shell variable: the default would be used instead.
func NotEmpty(to *string) func(string) error {
	return func(value string) error {
		if *to = value; value == "" {
			return errors.New("want a value: leave the flag out for the default")
		}
		return nil
	}
}

var flagInText = lazyregexp.New(`--([a-z][a-z-]+)`)

// flagsIn returns the names of the flags in a text.
func flagsIn(text string) (names []string) {
	for _, m := range flagInText.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}
