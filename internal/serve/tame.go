package serve

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"regexp"
	"unicode/utf8"
)

// maxPage bounds a page that is shown as one, in bytes: many times the size of ours.
const maxPage = 32 << 20

// A policy forbids neither navigation by the page itself nor connections that a browser opens in
// advance, for a link or before it refuses a frame or a form. Both need one of these elements, of
// which our pages have only a few forms.
var (
	connecting = regexp.MustCompile(`(?i)<([^\s<>/:]*:)?(meta|link|form|i?frame|object|embed)|<!entity`)
	ours       = regexp.MustCompile(`^<(meta charset="utf-8"|meta http-equiv="Content-Security-Policy" content="[^"]*"|` +
		`meta name="(viewport|generator)" content="[^"]*"|link rel="icon" href="data:,"|form method="dialog")>`)
)

// tame reports whether a page makes no connection by itself.
func tame(page []byte) bool {
	if !utf8.Valid(page) { // a browser may read it in another encoding than this function
		return false
	}
	for _, at := range connecting.FindAllIndex(page, -1) {
		if !ours.Match(page[at[0]:]) {
			return false
		}
	}
	return true
}

// servePage serves a page or a figure, or its text if it is not tame.
func servePage(w http.ResponseWriter, r *http.Request, f *os.File, info os.FileInfo) {
	page, err := io.ReadAll(io.LimitReader(f, maxPage))
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	// A page is served from the bytes that were checked, not from the file.
	kind, content := typeOf(info.Name()), io.ReadSeeker(bytes.NewReader(page))
	if len(page) == maxPage || !tame(page) {
		kind, content = types[".txt"], f
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), content)
}
