package sanitize

import (
	"encoding/json"
	"reflect"
	"testing"

	"lockstep/internal/must"
)

func TestATableHasALineForEachElement(t *testing.T) {
	value := map[string]any{
		"cells": []any{
			map[string]any{"lock": "a { [ \" }", "runs": []any{1.0, 2.0}, "none": []any{}},
			map[string]any{"lock": "b"},
			[]any{},
		},
		"empty": map[string]any{}, "schema": 1.0, "text": "x\u202e\n",
	}
	got := must.Get(JSONTable(value))(t)
	const want = `{
  "cells": [
    {"lock": "a { [ \" }", "none": [], "runs": [1, 2]},
    {"lock": "b"},
    []
  ],
  "empty": {},
  "schema": 1,
  "text": "x\u202e\n"
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var back any
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, any(value)) {
		t.Errorf("read back: %v, %v", back, err)
	}
}
