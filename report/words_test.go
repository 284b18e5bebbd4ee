package report

import "gobench/internal/remedy"

// Golden files show what a user of the program reads, so options have its words here.
func init() {
	remedy.Wording(func(o remedy.Option) string {
		switch {
		case o.Name == "np":
			return "-n"
		case o.Value != "":
			return "--" + o.Name + "=" + o.Value
		}
		return "--" + o.Name
	})
}
