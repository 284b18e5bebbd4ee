package record

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"gobench/internal/fuzzing"
)

// maxFuzzed is the largest input of a fuzz target in bytes; longer ones find nothing new.
const maxFuzzed = 4096

// FuzzSplit compares split with encoding/json, and checks that it does not panic on invalid JSON.
func FuzzSplit(t *testing.F) {
	f := fuzzing.New(t)
	for _, seed := range []string{
		`{}`, `{"a":1}`, ` { "a" : [1,{"b":"}"}] , "c\"d" : null,"é":"\\"} `, `{"a":1,"a":"x","n":-1.5e-7,"t":true}`, `[1]`, `"a"`, `{x`, `{"a"`,
		`{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":.5}`, `{"a":[1,]}`, `{"a":1,}`, `{"a":{"b":}}`, `{"a":"\u00g0"}`, `{"a":"\x"}`, "{\"a\":\"\t\"}",
		`{"a":tru}`, `{"a":nullx}`, `{"a":1}}`, `{,}`, `{"a" 1}`, `{"a":[[],{},[{}]]}`, `{"a":"\uD83D"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxFuzzed {
			return
		}
		var got map[string]string
		err := split(b, func(name, raw []byte) error {
			if got == nil {
				got = map[string]string{}
			}
			got[string(name)] = string(bytes.TrimSpace(raw))
			return nil
		})
		if valid := json.Valid(b); valid != (err != errSyntax) {
			t.Errorf("%q is valid: %t, error %v", b, valid, err)
		}
		var all map[string]json.RawMessage
		if !json.Valid(b) || json.Unmarshal(b, &all) != nil || all == nil {
			return
		}
		if !maps.EqualFunc(all, got, func(want json.RawMessage, raw string) bool { return string(want) == raw }) || err != nil {
			t.Errorf("%s: %v, %q, want %q", b, err, got, all)
		}
	})
}

func TestValuesOfOtherSpellingsAreRead(t *testing.T) {
	for in, want := range map[string]Value{
		`{"median":1e-7,"n":30}`:                     {Median: 1e-7, N: 30},
		`{"Median":1,"n":3e1}`:                       {},
		`{"median":1,"n":30,"unknown":{"x":[1,2]}}`:  {Median: 1, N: 30},
		`{"median":2,"lo":1,"hi":3,"n":9,"n_eff":8}`: {Median: 2, Lo: 1, Hi: 3, N: 9, EffectiveN: 8},
	} {
		got, err := decodeValue([]byte(in))
		if want.N == 0 {
			if err == nil {
				t.Errorf("%s: %+v, want an error", in, got)
			}
			continue
		}
		if got != want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", in, got, err, want)
		}
	}
}
