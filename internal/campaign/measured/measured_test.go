package measured_test

import (
	"testing"

	"lockstep/internal/campaign/measured"
)

func TestReadMatrix(t *testing.T) {
	if _, err := measured.ReadMatrix([]byte(`{"schema": 1, "seeds": 2, "cells": [{"lock": "a", "fault": "GP", "letter": "V"}]}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "cells": [{}]}`, `{"schema": 1, "cells": []}`} {
		if _, err := measured.ReadMatrix([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a matrix", bad)
		}
	}
}

func TestReadWorlds(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "scale_ppm": 1, "cells": [{}]}`, `{"schema": 1, "scale_ppm": 1, "cells": []}`, `{"schema": 1, "cells": [{}]}`} {
		if _, err := measured.ReadWorlds([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a comparison", bad)
		}
	}
}
