package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"gobench/internal/report/style"
)

// styleFlags are the flags of the appearance of figures, one for each of style.Settings, and the
// file that sets the same.
type styleFlags struct {
	file  string
	flags *pflag.FlagSet
}

func (s *styleFlags) register(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.file, "style", "", "`FILE` style file: TOML with the following settings of figures by their names; flags override it")
	for _, setting := range style.Settings {
		usage := "`" + setting.Value + "` " + setting.Usage
		switch {
		case setting.Value == "":
			f.Bool(setting.Name, false, setting.Usage)
		case setting.Many:
			f.StringArray(setting.Name, nil, usage)
		default:
			f.String(setting.Name, "", usage)
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
	for _, setting := range style.Settings {
		flag := s.flags.Lookup(setting.Name)
		if !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		sheet.Clear(setting.Name) // lists of the file are replaced, not extended
		for _, v := range values {
			if err := sheet.Set(setting.Name, v); err != nil {
				return sheet, fmt.Errorf("--%w", err)
			}
		}
	}
	sheet.Base = base
	return sheet, nil
}
