package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Queue is a connection to a NATS server with JetStream.
type Queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	ranges  jetstream.Stream
	results jetstream.Stream
	where   string       // for people, without a password
	tell    func(string) // what happens, for people
	lost    chan error   // the connection has ended for good
}

// ErrAddress is an address that is none.
var ErrAddress = errors.New("write nats://HOST:4222, tls://HOST:4222 or several with commas between them, with credentials as nats://USER:PASSWORD@HOST or in NATS_CREDS or NATS_NKEY")

// CheckAddress says what is wrong with an address; nil when nothing is.
func CheckAddress(address string) error {
	for one := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return fmt.Errorf("%q is no address of a NATS server: %w", redacted(address), ErrAddress)
		}
	}
	return nil
}

// redacted is an address without its secrets.
func redacted(address string) string {
	var all []string
	for one := range strings.SplitSeq(address, ",") {
		if at := strings.LastIndex(one, "@"); at >= 0 {
			scheme, _, _ := strings.Cut(one, "://")
			one = scheme + "://" + one[at+1:]
		}
		all = append(all, one)
	}
	return strings.Join(all, ",")
}

// credentials are those that the environment has, named as the tool nats names them.
func credentials() (options []nats.Option, err error) {
	get := os.Getenv
	if x := get("NATS_USER"); x != "" {
		options = append(options, nats.UserInfo(x, get("NATS_PASSWORD")))
	}
	if x := get("NATS_TOKEN"); x != "" {
		options = append(options, nats.Token(x))
	}
	if x := get("NATS_CREDS"); x != "" {
		options = append(options, nats.UserCredentials(x))
	}
	if x := get("NATS_NKEY"); x != "" {
		o, err := nats.NkeyOptionFromSeed(x)
		if err != nil {
			return nil, fmt.Errorf("NATS_NKEY: %w: name the file of a seed", err)
		}
		options = append(options, o)
	}
	if x := get("NATS_CA"); x != "" {
		options = append(options, nats.RootCAs(x))
	}
	if x := get("NATS_CERT"); x != "" {
		options = append(options, nats.ClientCert(x, get("NATS_KEY")))
	}
	return options, nil
}

// Connect connects to a queue and makes the streams that are not there yet. tell gets sentences about what
// happens to the connection.
func Connect(ctx context.Context, address, name string, tell func(string), more ...nats.Option) (*Queue, error) {
	q := &Queue{where: redacted(address), tell: tell, lost: make(chan error, 1)}
	options, err := credentials()
	if err != nil {
		return nil, err
	}
	options = append(options, nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250*time.Millisecond), nats.Timeout(5*time.Second),
		nats.PingInterval(5*time.Second), nats.MaxPingsOutstanding(2), nats.RetryOnFailedConnect(false),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if err != nil && !nc.IsClosed() {
				q.tell(fmt.Sprintf("the connection to %s is lost (%v): trying again", q.where, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { q.tell("connected to " + q.where + " again") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				q.end(fmt.Errorf("%s does not let these credentials use the queue (%w): allow lockstep.>, $JS.API.>, $JS.ACK.> and _INBOX.>", q.where, err))
			}
		}),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil {
				q.end(q.refused(err))
			}
		}),
	)
	if q.nc, err = nats.Connect(address, append(options, more...)...); err != nil {
		return nil, q.refused(err)
	}
	if q.js, err = jetstream.New(q.nc); err == nil {
		err = q.setUp(ctx)
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// end tells whoever waits that nothing more will come.
func (q *Queue) end(err error) {
	select {
	case q.lost <- err:
	default:
	}
}

// refused says why there is no connection.
func (q *Queue) refused(err error) error {
	for _, wrong := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, wrong) {
			return fmt.Errorf("%s refuses the credentials (%w): give others as nats://USER:PASSWORD@HOST or in NATS_CREDS or NATS_NKEY", q.where, err)
		}
	}
	return fmt.Errorf("no NATS server can be used at %s (%w): start one with JetStream (nats-server -js), or name another", q.where, err)
}

// Close ends the connection.
func (q *Queue) Close() { q.nc.Close() }

// The names of the two streams.
const (
	rangesStream  = "LOCKSTEP_RANGES"
	resultsStream = "LOCKSTEP_RESULTS"
)

// forgotten is when what nobody has gathered is removed.
const forgotten = 30 * 24 * time.Hour

// setUp finds the streams or makes them. A cluster may just be choosing a leader, so it has some patience.
func (q *Queue) setUp(ctx context.Context) (err error) {
	replicas := 1
	if q.nc.ConnectedClusterName() != "" {
		replicas = 3
	}
	// The end of a range is an ack.
	ranges := jetstream.StreamConfig{
		Name: rangesStream, Description: "lockstep: ranges that are to be played", Subjects: []string{rangeSubject + ".*.*.*"}, Replicas: replicas,
		Retention: jetstream.WorkQueuePolicy, MaxAge: forgotten,
	}
	// What is stored again takes the place of what was there.
	results := jetstream.StreamConfig{
		Name: resultsStream, Description: "lockstep: works and what their ranges have come to", Replicas: replicas, MaxAge: forgotten, MaxMsgsPerSubject: 1,
		Subjects: []string{workSubject + ".*", resultSubject + ".*.*.*", failedSubject + ".*.*", crashSubject + ".*.*.*"},
	}
	err = q.patiently(ctx, 10*time.Second, func(ctx context.Context) (err error) {
		if q.ranges, err = q.stream(ctx, ranges); err == nil {
			q.results, err = q.stream(ctx, results)
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%s keeps no streams (%w): start its servers with JetStream (nats-server -js), and allow it for the account", q.where, err)
	case err != nil:
		return fmt.Errorf("%s does not make the streams of the queue (%w): of a cluster three servers have to be up, with room on their disks", q.where, err)
	}
	return nil
}

// stream returns a stream as it is, or makes it.
func (q *Queue) stream(ctx context.Context, of jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, of.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = q.js.CreateStream(ctx, of)
	}
	return s, err
}

// patiently tries something until it succeeds, for so long, or for ever when that is 0.
func (q *Queue) patiently(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	began := time.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := try(once)
		cancel()
		var final *finalError
		switch {
		case err == nil || ctx.Err() != nil:
			return cmp.Or(ctx.Err(), err)
		case errors.As(err, &final):
			return final.error
		case limit > 0 && time.Since(began) > limit:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// finalError is one that another try does not change.
type finalError struct{ error }
