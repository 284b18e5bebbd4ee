package importer

import (
	"encoding/json"
	"fmt"
	"strings"

	"gobench/record"
)

// object decodes the JSON object of the program.
func (l *log) object(into any) error {
	data, err := json.Marshal(l.doc)
	if err != nil {
		return err
	}
	return fieldsOf(data, into)
}

// fieldsOf decodes JSON without control characters in its text.
func fieldsOf(data []byte, into any) error {
	plain, _ := record.PlainRow(data)
	if err := json.Unmarshal(plain, into); err != nil {
		return fmt.Errorf("the JSON is not as expected: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
