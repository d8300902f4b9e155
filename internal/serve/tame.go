package serve

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"regexp"
	"unicode/utf8"
)

// maxPage is how large a page may be that is shown as one, in bytes: many times what ours
// may be.
const maxPage = 32 << 20

// A policy says nothing about where a page goes by itself, nor about connections that a
// browser opens in case they are needed, for a link or before it refuses a frame or a form.
// All of it takes elements of which ours have only these few.
var (
	leading = regexp.MustCompile(`(?i)<([^\s<>/:]*:)?(meta|link|form|i?frame|object|embed)|<!entity`)
	ours    = regexp.MustCompile(`^<(meta charset="utf-8"|meta http-equiv="Content-Security-Policy" content="[^"]*"|` +
		`meta name="(viewport|generator)" content="[^"]*"|link rel="icon" href="data:,"|form method="dialog")>`)
)

// tame reports whether a page leads nowhere by itself.
func tame(page []byte) bool {
	if !utf8.Valid(page) { // its first bytes may make a browser read it in another encoding than we do
		return false
	}
	for _, at := range leading.FindAllIndex(page, -1) {
		if !ours.Match(page[at[0]:]) {
			return false
		}
	}
	return true
}

// servePage answers with a page or a figure, or with its text if it is not tame.
func servePage(w http.ResponseWriter, r *http.Request, f *os.File, info os.FileInfo) {
	page, err := io.ReadAll(io.LimitReader(f, maxPage))
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	// What is shown as a page are the very bytes that were looked at.
	kind, content := typeOf(info.Name()), io.ReadSeeker(bytes.NewReader(page))
	if len(page) == maxPage || !tame(page) {
		kind, content = types[".txt"], f
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), content)
}
