package browser_test

import (
	"os"
	"testing"

	"lockstep/internal/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Tests{M: m}.Run()) }
