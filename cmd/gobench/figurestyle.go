package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"gobench/report/style"
)

// styleFlags are the flags of the appearance of figures, one for each of style.Settings, and the
// file that sets the same.
type styleFlags struct {
	file  string
	given []*settingFlag
}

// A settingFlag holds the values of one setting as typed.
type settingFlag struct {
	style.Setting
	values []string
}

func (s *styleFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.file, "style", "", "`FILE` style file: TOML with the following settings of figures by their names; flags override it")
	for _, setting := range style.Settings {
		given := &settingFlag{Setting: setting}
		s.given = append(s.given, given)
		usage := setting.Usage
		if setting.Value != "" {
			usage = "`" + setting.Value + "` " + usage
		}
		flag := f.VarPF(given, setting.Name, "", usage)
		if setting.Value == "" {
			flag.NoOptDefVal = "true"
		}
	}
}

// sheet returns the appearance that the file and the flags choose. base is the baseline of
// speedups.
func (s *styleFlags) sheet(base string) (sheet style.Sheet, err error) {
	if s.file != "" {
		if err := sheet.Read(s.file); err != nil {
			return sheet, err
		}
	}
	for _, g := range s.given {
		if len(g.values) > 0 { // lists of the file are replaced, not extended
			sheet.Clear(g.Name)
		}
		for _, v := range g.values {
			if err := sheet.Set(g.Name, v); err != nil {
				return sheet, fmt.Errorf("--%w", err)
			}
		}
	}
	sheet.Base = base
	return sheet, nil
}

// Set implements pflag.Value. A setting that is given once keeps its last value.
func (g *settingFlag) Set(value string) error {
	if !g.Many {
		g.values = nil
	}
	g.values = append(g.values, value)
	return nil
}

// String implements pflag.Value.
func (g *settingFlag) String() string { return strings.Join(g.values, ",") }

// Type implements pflag.Value.
func (g *settingFlag) Type() string {
	if g.Value == "" {
		return "bool"
	}
	return "string"
}

// Append implements pflag.SliceValue.
func (g *settingFlag) Append(value string) error { return g.Set(value) }

// Replace implements pflag.SliceValue.
func (g *settingFlag) Replace(values []string) error { g.values = values; return nil }

// GetSlice implements pflag.SliceValue.
func (g *settingFlag) GetSlice() []string { return g.values }
