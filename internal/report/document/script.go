package document

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gobench/internal/collect"
)

// A Step is a part of what repeats measurements: a comment, a file, a directory, a line of a shell,
// or a command.
type Step struct {
	Comment   string   // for people
	File      string   // name of a file to write, a relative path
	Lines     []string // of the file
	Directory string   // to make, a relative path
	Shell     string   // a line that only a shell understands

	Words      []string // a command
	Program    string   // the word among Words that is gobench
	Times      int      // how often it runs
	Background bool     // the next step does not wait for it
	Host       string   // where somebody must start it, "" = here
}

// A script collects steps. Their files have their own names.
type script struct {
	steps []Step
	taken map[string]string // file that has a name in the directory of the script
}

func (k *script) comment(text string) { k.steps = append(k.steps, Step{Comment: text}) }

func (k *script) shell(line string) { k.steps = append(k.steps, Step{Shell: line}) }

// run adds a command with a gobench program among its words, n times.
func (k *script) run(n int, program string, words ...string) {
	k.steps = append(k.steps, Step{Words: words, Program: program, Times: n})
}

// file adds a file.
func (k *script) file(name string, lines []string) {
	k.steps = append(k.steps, Step{File: name, Lines: lines})
}

// Shell returns the lines of steps for a shell of POSIX. They may be pasted: they have no control
// characters, and history expansion finds nothing in them.
func Shell(steps []Step) []string {
	var p printer
	for _, s := range steps {
		p.step(s)
	}
	return p.lines
}

// A printer formats steps.
type printer struct {
	lines []string
	words int // variables
}

func (k *printer) step(s Step) {
	switch {
	case s.File != "":
		text := strings.Split("printf '%s\\n' '"+strings.ReplaceAll(strings.Join(s.Lines, "\n"), "'", `'\''`)+"' > "+k.quote(s.File), "\n")
		k.lines = append(k.lines, text...)
	case s.Directory != "":
		k.lines = append(k.lines, k.command([]string{"mkdir", "-p", s.Directory}))
	case s.Shell != "":
		k.lines = append(k.lines, s.Shell)
	case s.Host != "":
		k.comment(fmt.Sprintf("On %s: %s", s.Host, k.command(s.Words)))
	case s.Words == nil:
		k.comment(s.Comment)
	default:
		line := k.command(s.Words)
		if s.Times > 1 {
			line = fmt.Sprintf("for i in $(seq %d); do %s; done", s.Times, line)
		}
		if s.Background {
			line += " &"
		}
		k.lines = append(k.lines, line)
	}
}

// comment adds a comment. Control characters become blanks.
func (k *printer) comment(text string) {
	k.lines = append(k.lines, "# "+strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}

// command formats words.
func (k *printer) command(words []string) string {
	return strings.Join(collect.Each(words, k.quote), " ")
}

// quote returns a word that a shell reads as this text. A text with characters that do not show, or
// that a terminal would act upon, is assigned to a variable first: printf has escapes for them in
// every shell, and the final x keeps a newline at the end.
func (k *printer) quote(word string) string {
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }):
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	k.words++
	name := fmt.Sprintf("word%d", k.words)
	var format strings.Builder
	for len(word) > 0 {
		r, n := utf8.DecodeRuneInString(word)
		switch {
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for _, b := range []byte(word[:n]) {
				fmt.Fprintf(&format, `\%03o`, b)
			}
		case r == '%' || r == '\\':
			format.WriteString(strings.Repeat(string(r), 2))
		case r == '\'':
			format.WriteString(`'\''`)
		default:
			format.WriteRune(r)
		}
		word = word[n:]
	}
	k.lines = append(k.lines, fmt.Sprintf("%s=$(printf -- '%sx'); %[1]s=${%[1]s%%x}", name, format.String()))
	return `"$` + name + `"`
}

// plain reports whether a character needs no quotes anywhere in a word.
func plain(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:,@%+=", r))
}

// name returns the name of a file for the directory of the script: its path if that is relative and
// goes down only, else its last part. Two files never have the same name, and none looks like a
// flag.
func (k *script) name(path string) string {
	name := filepath.Clean(path)
	if !filepath.IsLocal(name) {
		name = filepath.Base(name)
	}
	if strings.HasPrefix(name, "-") || name == "." || name == string(filepath.Separator) {
		name = "./" + strings.TrimLeft(name, "./")
	}
	if k.taken == nil {
		k.taken = map[string]string{}
	}
	for n, free := 2, name; ; n++ {
		if file, ok := k.taken[free]; !ok || file == path {
			k.taken[free] = path
			return free
		}
		ext := filepath.Ext(name)
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
}

// without returns words without some flags and their values, in the forms --name=value and "--name
// value".
func without(words []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i], "=")
		switch {
		case slices.Contains(flags, name):
			if !joined && takesValue(name) {
				i++
			}
		case slices.Contains(flags, "-o") && strings.HasPrefix(words[i], "-o") && !strings.HasPrefix(words[i], "--"):
			// -oFILE
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// takesValue reports whether a flag that without removes has a value.
func takesValue(name string) bool { return name != "--json" && name != "--csv" && name != "--dry-run" }

// valueOf returns the value of a flag among words, "" if it is not there.
func valueOf(words []string, flag string) string {
	for i, word := range words {
		if value, ok := strings.CutPrefix(word, flag+"="); ok {
			return value
		}
		if word == flag && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}
