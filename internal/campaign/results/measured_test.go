package results_test

import (
	"testing"

	"lockstep/internal/campaign/results"
)

func TestReadMatrix(t *testing.T) {
	if _, err := results.ReadMatrix([]byte(`{"schema": 1, "seeds": 2, "cells": [{"lock": "a", "fault": "GP", "letter": "V"}]}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "cells": [{}]}`, `{"schema": 1, "cells": []}`} {
		if _, err := results.ReadMatrix([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a matrix", bad)
		}
	}
}

func TestReadWorlds(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "scale_ppm": 1, "cells": [{}]}`, `{"schema": 1, "scale_ppm": 1, "cells": []}`, `{"schema": 1, "cells": [{}]}`} {
		if _, err := results.ReadWorlds([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a comparison", bad)
		}
	}
}
