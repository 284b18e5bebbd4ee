package style

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
)

// Read sets the settings of a style file: TOML with the names of Settings, whose values are texts,
// numbers, booleans, or lists of them where a setting may be given several times. Errors name the
// file and the setting.
func (s *Sheet) Read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range Settings { // in their order, because width sets the size of letters
		value, ok := values[t.Name]
		if !ok {
			continue
		}
		delete(values, t.Name)
		list, several := value.([]any)
		if several && !t.Many {
			return fmt.Errorf("%s: %s takes one value", path, t.Name)
		}
		if !several {
			list = []any{value}
		}
		for _, v := range list {
			if err := s.Set(t.Name, fmt.Sprint(v)); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	for name := range values {
		err = errors.Join(err, fmt.Errorf("%s: there is no setting %q; they are %s", path, name, strings.Join(names(), ", ")))
	}
	return err
}
