package logcheck

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// bom begins a text of UTF-8 that some programs write.
const bom = "\xef\xbb\xbf"

// encodings are those of a log besides UTF-8. One of UTF-16 with a mark at its beginning is found out.
var encodings = map[string]encoding.Encoding{
	"utf-8":        encoding.Nop,
	"utf-16":       unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"iso-8859-1":   charmap.ISO8859_1,
	"latin1":       charmap.ISO8859_1,
	"windows-1252": charmap.Windows1252,
}

// EncodingOf checks the name of an encoding; "" is UTF-8.
func EncodingOf(name string) error {
	if _, ok := encodings[name]; ok || name == "" {
		return nil
	}
	return fmt.Errorf("there is no %q: there are %s", name, strings.Join(slices.Sorted(maps.Keys(encodings)), ", "))
}

// Plain decompresses what gzip has compressed, and makes UTF-8 of what is written otherwise. It leaves all else as it
// is.
func Plain(in io.Reader, name string) (io.Reader, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	magic, _ := b.Peek(2) // an error comes again when it is read
	if string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("it begins as a file of gzip, but cannot be decompressed: %w", err)
		}
		b = bufio.NewReaderSize(z, 64<<10)
		magic, _ = b.Peek(2)
	}
	if mark := string(magic); name == "" && (mark == "\xff\xfe" || mark == "\xfe\xff") {
		name = "utf-16"
	}
	if e := encodings[name]; e != nil && e != encoding.Nop {
		return transform.NewReader(b, e.NewDecoder()), nil
	}
	return b, nil
}
