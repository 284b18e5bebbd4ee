package main

import "gobench/internal/remedy"

func init() { remedy.Wording(flagWords) }

// shorthands are the letters of flags that are usually typed by them.
var shorthands = map[string]string{"np": "n", "output": "o"}

// flagWords returns an option of a library as it is typed: --start=barrier, -n 4, --set port=7000.
func flagWords(o remedy.Option) string {
	switch letter := shorthands[o.Name]; {
	case o.Transport:
		return "--set " + o.Name + "=" + o.Value
	case letter != "" && o.Value != "":
		return "-" + letter + " " + o.Value
	case letter != "":
		return "-" + letter
	case o.Value != "":
		return "--" + o.Name + "=" + o.Value
	}
	return "--" + o.Name
}
