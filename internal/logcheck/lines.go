package logcheck

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const maxLine = 1 << 20

// lines reads a log line by line, at most maxLine bytes at a time.
type lines struct {
	in     *bufio.Reader
	number int64  // of the last line; of a record or an object, of its first line
	whole  bool   // that line had its line break
	long   bool   // it was too long, and its rest has to be skipped
	spread bool   // the log is JSON of several lines: each object counts as one, numbered by where it begins
	quoted bool   // the log is CSV: a record goes on behind a line break in quotation marks
	breaks int64  // line breaks so far
	object []byte // or a record of several lines
	again  []byte // lines that were taken for those of a record
	open   bool   // an array lacks its closing bracket
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, maxLine+1)} }

var errLong = fmt.Errorf("it is longer than %d bytes", maxLine)

// next returns a line without its break, valid until the next call; errLong for one that is
// skipped.
func (l *lines) next() (line []byte, err error) {
	switch {
	case l.spread:
		return l.nextObject()
	case l.quoted:
		return l.nextRecord()
	}
	return l.nextLine()
}

// opens matches a line in which a value in quotation marks may begin: a mark within another value
// is a mistake.
var opens = regexp.MustCompile(`(?:^|[,;\t|])"`)

// nextRecord returns the next record of CSV, as one line with line breaks (RFC 4180). A quotation
// mark without its other one is a mistake of its line: the lines behind it count.
func (l *lines) nextRecord() ([]byte, error) {
	line, err := l.nextLine()
	if err != nil || !odd(line) || !opens.Match(line) {
		return line, err
	}
	first, end := l.number, len(line)
	l.object = append(l.object[:0], line...)
	for more := true; more; more = !odd(line) {
		if line, err = l.nextLine(); err != nil && err != io.EOF {
			l.number = first
			return nil, err
		}
		if err == nil {
			l.object = append(append(l.object, '\n'), line...)
		}
		if err == io.EOF || len(l.object) > maxLine {
			l.again = append(l.again[:0:0], bytes.TrimPrefix(l.object[end:], []byte{'\n'})...)
			if len(l.again) > 0 && l.whole {
				l.again = append(l.again, '\n')
			}
			l.number, l.breaks, l.whole = first, first, l.whole || len(l.again) > 0
			return l.object[:end], nil
		}
	}
	l.number = first
	return l.object, nil
}

func odd(line []byte) bool { return bytes.Count(line, []byte{'"'})%2 == 1 }

func (l *lines) nextLine() (line []byte, err error) {
	if len(l.again) > 0 {
		line, l.again, l.whole = bytes.Cut(l.again, []byte{'\n'})
		l.breaks++
		l.number = l.breaks
		return line, nil
	}
	for l.long {
		_, err = l.in.ReadSlice('\n')
		l.long = err == bufio.ErrBufferFull
		if err != nil && !l.long {
			return nil, err
		}
	}
	line, err = l.in.ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		return nil, err
	}
	l.breaks++
	l.number, l.whole = l.breaks, err == nil
	switch {
	case err == bufio.ErrBufferFull:
		l.long, l.whole = true, true
		return nil, errLong
	case err != nil && err != io.EOF:
		return nil, err
	}
	line = bytes.TrimPrefix(line, []byte(bom)) // also of a file that was appended to another one
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
	if bytes.IndexByte(line, escape) >= 0 {
		line = colours.ReplaceAll(line, nil)
	}
	return line, nil
}

// escape begins the colours of a terminal. They would be part of a name, and one lock would look
// like two.
const escape = 0x1b

var colours = regexp.MustCompile(`\x1b\[[\d;:]*[A-Za-z]`)

// nextObject returns an object as one line; io.ErrUnexpectedEOF once, when an array does not end.
func (l *lines) nextObject() ([]byte, error) {
	l.object, l.whole = l.object[:0], true
	depth, text, escaped := 0, false, false
	l.number = max(l.number, 1)
	for {
		c, err := l.in.ReadByte()
		switch {
		case err == io.EOF && depth > 0:
			l.whole = false
			return l.object, nil
		case err == io.EOF && l.open:
			l.open = false
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(l.object) == maxLine:
			return nil, fmt.Errorf("an object is longer than %d bytes", maxLine)
		}
		if c == '\n' {
			l.breaks++
			c = ' '
		}
		switch {
		case escaped:
			escaped = false
		case text:
			escaped, text = c == '\\', c != '"'
		case c == '"':
			text = true
		case depth == 0 && (c == '[' || c == ']'):
			l.open = c == '['
		case c == '{' || c == '[':
			if depth++; depth == 1 {
				l.number = 1 + l.breaks
			}
		case depth > 0 && (c == '}' || c == ']'):
			if depth--; depth == 0 {
				return append(l.object, c), nil
			}
		}
		switch {
		case depth > 0:
			l.object = append(l.object, c)
		case !strings.Contains(" \t\r,[]"+bom, string([]byte{c})):
			return nil, fmt.Errorf("%q stands in line %d, where an object of JSON is expected", c, 1+l.breaks)
		}
	}
}

// readable returns an error for a line that is not text.
func readable(line []byte) error {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return fmt.Errorf("column %d: a NUL byte, as no text has: --encoding says if it is utf-16", i+1)
	}
	if !utf8.Valid(line) {
		return errors.New("it is not valid UTF-8: --encoding says what else it is, such as latin1 or utf-16")
	}
	return nil
}

// bom is the byte order mark that some programs write before UTF-8.
const bom = "\xef\xbb\xbf"

// encodings are the known encodings. UTF-16 with a byte order mark is detected.
var encodings = map[string]encoding.Encoding{
	"utf-8":        encoding.Nop,
	"utf-16":       unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"iso-8859-1":   charmap.ISO8859_1,
	"latin1":       charmap.ISO8859_1,
	"windows-1252": charmap.Windows1252,
}

// Plain decompresses gzip, and converts other encodings to UTF-8. name is the encoding, "" to
// detect it.
func Plain(in io.Reader, name string) (io.Reader, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	magic, _ := b.Peek(4)                                                                                                        // an error recurs on reading
	for start, by := range map[string]string{"\x28\xb5\x2f\xfd": "zstd", "\xfd7zX": "xz", "BZh": "bzip2", "PK\x03\x04": "zip"} { // order: one at most
		if bytes.HasPrefix(magic, []byte(start)) {
			return nil, fmt.Errorf("it is compressed by %s: decompress it, or with gzip", by)
		}
	}
	if bytes.HasPrefix(magic, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("it begins as a file of gzip, but cannot be decompressed: %w", err)
		}
		b = bufio.NewReaderSize(z, 64<<10)
		magic, _ = b.Peek(2)
	}
	if mark := string(magic[:min(2, len(magic))]); name == "" && (mark == "\xff\xfe" || mark == "\xfe\xff") {
		name = "utf-16"
	}
	if e := encodings[name]; e != nil && e != encoding.Nop {
		return transform.NewReader(b, e.NewDecoder()), nil
	}
	return b, nil
}
