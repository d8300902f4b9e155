package world

import (
	"fmt"
	"strings"
)

// What a client of a Redis Cluster has to know, in every world. (Redis Cluster
// specification, "MOVED redirection".)

// MaxRedirects is how often a client follows redirections of one command, as go-redis
// does.
const MaxRedirects = 3

// Moved is what a node answers to a command on a slot that another one serves.
func Moved(slot int, node string) ServerError {
	return ServerError(fmt.Sprintf("MOVED %d %s:6379", slot, node))
}

// MovedTo returns the host that a reply redirects to, without its port; "" for a reply
// that redirects nobody.
func MovedTo(r Reply) string {
	words := serverWords(r)
	if len(words) != 3 || words[0] != "MOVED" {
		return ""
	}
	host, _, _ := strings.Cut(words[2], ":")
	return host
}

// AskElsewhere reports whether a client does well to ask another node next time: this
// one has not answered, or belongs to a part of the cluster that serves nobody.
func AskElsewhere(r Reply) bool {
	words := serverWords(r)
	return r.Err == ErrTimeout || r.Err == ErrConnection || len(words) > 0 && words[0] == "CLUSTERDOWN" // never wrapped
}

// serverWords are those of an error that a server has sent; none for other replies.
func serverWords(r Reply) []string {
	if err, ok := r.Err.(ServerError); ok && r.Kind == ReplyError {
		return strings.Fields(string(err))
	}
	return nil
}
