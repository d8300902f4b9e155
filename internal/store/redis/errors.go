package redis

import "strings"

// The errors of Redis 7.0; as values, so that a refusal allocates nothing.
var (
	errSyntax       error = ServerError("ERR syntax error")
	errNotInteger   error = ServerError("ERR value is not an integer or out of range")
	errOverflow     error = ServerError("ERR increment or decrement would overflow")
	errDecrOverflow error = ServerError("ERR decrement would overflow")
	errHashInteger  error = ServerError("ERR hash value is not an integer")
	errReadOnly     error = ServerError("READONLY You can't write against a read only replica.")
	errNoReplicas   error = ServerError("NOREPLICAS Not enough good replicas to write.")
	errNotFloat     error = ServerError("ERR value is not a valid float")
	errRangeFloat   error = ServerError("ERR min or max is not a float")
	errNotPositive  error = ServerError("ERR value is out of range, must be positive")
	errWrongType    error = ServerError(
		"WRONGTYPE Operation against a key holding the wrong kind of value")
	errExpireNX error = ServerError(
		"ERR NX and XX, GT or LT options at the same time are not compatible")
	errExpireGTLT error = ServerError(
		"ERR GT and LT options at the same time are not compatible")
)

// wrongNumber is the refusal of a command with too few or too many arguments.
func wrongNumber(c *command) Reply {
	return Failed(ServerError(
		"ERR wrong number of arguments for '" + c.name + "' command"))
}

// badExpire is the refusal of a time to live.
func badExpire(c *command) error {
	return ServerError("ERR invalid expire time in '" + c.name + "' command")
}

// unknownCommand is the refusal of a command that does not exist; it quotes up
// to 128 characters of the arguments (commandCheckExistence in server.c).
func unknownCommand(name string, args []Arg) error {
	const most = 128
	quoted := ""
	for i := 0; i < len(args) && len(quoted) < most; i++ {
		arg := args[i].String()
		quoted += "'" + arg[:min(len(arg), most-len(quoted))] + "' "
	}
	name = name[:min(len(name), most)]
	return ServerError(oneLine("ERR unknown command '" + name + "', with args beginning with: " + quoted))
}

// blankLineEnds replaces line ends, which would break the protocol, with blanks.
var blankLineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// oneLine puts the text of an error on one line (addReplyErrorFormatInternal in networking.c).
func oneLine(text string) string { return blankLineEnds.Replace(strings.TrimRight(text, "\r\n")) }
