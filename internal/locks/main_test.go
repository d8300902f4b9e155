package locks

import "testing"

func TestMainDesignsAreDesigns(t *testing.T) {
	for _, id := range mainDesigns {
		if v, ok := Lookup(id); !ok || Misprint(id) || v.Bug != nil || v.Library != "" {
			t.Errorf("%s is no design", id)
		}
	}
}
