package cli

import (
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// EndFlags registers --timeout and --quiet, of verbs that take a while.
func EndFlags(flags *pflag.FlagSet) {
	TimeVar(flags, new(time.Duration), "timeout", "`TIME` end after this time, as Ctrl-C does, and keep what was measured")
	flags.Bool("quiet", false, "print results and errors only")
}

// Quiet reports whether a verb has --quiet, and it was given.
func Quiet(verb *cobra.Command) bool {
	quiet, _ := verb.Flags().GetBool("quiet")
	return quiet
}

// Notices returns the writer of progress and remarks: standard error, unless --quiet was given.
func Notices(verb *cobra.Command) io.Writer {
	if Quiet(verb) {
		return io.Discard
	}
	return verb.ErrOrStderr()
}
