package faults

import (
	"encoding/json"
	"fmt"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// values is a fault in the header of a history.
type values struct {
	Verb string `json:"verb"`
	Args
	When Trigger `json:"when,omitzero"`
	End  End     `json:"end,omitzero"`
}

func (v *values) fault() Fault {
	f := Fault{Trigger: v.When, Args: v.Args, End: v.End, Verb: registry[v.Verb].Verb()}
	if f.Verb.spec.Value.NamesNode() {
		f.Target = v.Value
	}
	return f
}

func (v *values) stored() history.Values {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // no value of these types is refused
	}
	return history.Values(data)
}

// Of rebuilds a fault from the values in a history, without number and text, for Sentence and Action. It
// is not ok for values that this program does not know.
func Of(stored history.Values) (f Fault, ok bool) {
	var v values
	if stored == "" || json.Unmarshal([]byte(stored), &v) != nil {
		return Fault{}, false
	}
	spec, known := Lookup(v.Verb)
	if !known || spec.Value.Kind == ParamSides && len(v.Sides) < 2 || v.End.Until != nil && v.End.Until.Moment == NoMoment {
		return Fault{}, false
	}
	return v.fault(), true
}

// Sentence describes a fault of a history to readers, by its text if its values are not known.
func Sentence(v history.Values, text string) say.Part {
	if f, ok := Of(v); ok {
		return f.Sentence()
	}
	return say.Verbatim(text)
}

// MarshalText writes a moment as a scenario does.
func (m MomentKind) MarshalText() ([]byte, error) { return []byte(moments[m].text), nil }

// UnmarshalText reads what MarshalText writes.
func (m *MomentKind) UnmarshalText(text []byte) error {
	for k := NoMoment + 1; k < momentCount; k++ {
		if moments[k].text == string(text) {
			*m = k
			return nil
		}
	}
	return fmt.Errorf("no client reaches the moment %q", text)
}
