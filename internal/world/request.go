package world

// Request is what a client sends to a store, by the name that triggers know it by and the
// text that a history keeps. Both worlds write them alike, and ReadRequest reads them again.
type Request interface {
	// Name is one word in capitals: TXN, CREATE, INSERT.
	Name() string
	// AppendText appends the request as a reader would like to see it, on one line. It begins
	// with the name, but for a SELECT that calls a function.
	AppendText(buf []byte) []byte
}

// RequestText is the text of a request.
func RequestText(r Request) string { return string(r.AppendText(nil)) }

// OKText is the text of an answer that says nothing but that it was done.
const OKText = "OK"
