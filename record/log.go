package record

import (
	"fmt"
	"io"
	"os"
)

// LogBegin and LogEnd are the lines around records in the log of a job, between other output.
// gobench import reads them.
const (
	LogBegin = "gobench:records begin"
	LogEnd   = "gobench:records end"
)

// LogVariable is the environment variable that makes a command print its file of records to
// standard output after its results: "1". A pod has no other way to deliver them.
const LogVariable = "GOBENCH_LOG_RECORDS"

// WriteLog writes the content of a file of records between LogBegin and LogEnd.
func WriteLog(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintln(w, LogBegin); err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, LogEnd)
	return err
}
