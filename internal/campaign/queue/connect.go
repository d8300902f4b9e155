package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
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
	where   string        // its address, without a password
	notify  func(string)  // reports events to people
	late    time.Duration // half of the time after which a coordinator checks on a range that is out
	// gone ends when the connection has ended for good, with the cause; end ends it.
	gone context.Context
	end  context.CancelCauseFunc
}

// ErrAddress is a malformed address.
var ErrAddress = errors.New("write nats://HOST:4222, tls://HOST:4222 or several with commas between them, with credentials as nats://USER:PASSWORD@HOST or in NATS_CREDS or NATS_NKEY")

// CheckAddress returns an error for a malformed address.
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

// credentials reads the environment variables of the tool nats.
func credentials() (options []nats.Option, err error) {
	get := os.Getenv
	if x := get("NATS_USER"); x != "" {
		options = append(options, nats.UserInfo(x, get("NATS_PASSWORD")))
	}
	if x := get("NATS_TOKEN"); x != "" {
		options = append(options, nats.Token(x))
	}
	for _, name := range []string{"NATS_CREDS", "NATS_NKEY", "NATS_CA", "NATS_CERT", "NATS_KEY"} {
		if x := get(name); x != "" {
			if _, err := os.ReadFile(x); err != nil {
				return nil, fmt.Errorf("%s names a file that cannot be read: %w", name, err)
			}
		}
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
		if _, err := tls.LoadX509KeyPair(x, get("NATS_KEY")); err != nil {
			return nil, fmt.Errorf("NATS_CERT and NATS_KEY: %w: name the files of a certificate and of its key", err)
		}
		options = append(options, nats.ClientCert(x, get("NATS_KEY")))
	}
	return options, nil
}

// Connect connects to a queue and creates missing streams. notify reports what happens to the
// connection.
func Connect(ctx context.Context, address, name string, notify func(string), more ...nats.Option) (*Queue, error) {
	q := &Queue{where: redacted(address), notify: notify, late: mostWait / 4}
	q.gone, q.end = context.WithCancelCause(context.Background())
	options, err := credentials()
	if err != nil {
		return nil, err
	}
	options = append(options, nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250*time.Millisecond), nats.Timeout(5*time.Second),
		nats.PingInterval(5*time.Second), nats.MaxPingsOutstanding(2), nats.RetryOnFailedConnect(false),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if err != nil && !nc.IsClosed() {
				q.notify(fmt.Sprintf("the connection to %s is lost (%v): trying again", q.where, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { q.notify("connected to " + q.where + " again") }),
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

// refused explains why there is no connection.
func (q *Queue) refused(err error) error {
	for _, wrong := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired, nats.ErrNkeysNotSupported} {
		if errors.Is(err, wrong) {
			return fmt.Errorf("%s refuses the credentials (%w): give others as nats://USER:PASSWORD@HOST or in NATS_CREDS or NATS_NKEY", q.where, err)
		}
	}
	var unknown *tls.CertificateVerificationError
	var alert *net.OpError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of %s is not trusted (%w): name the file of its authority in NATS_CA, and the host as the certificate has it", q.where, err)
	case errors.As(err, &alert) && alert.Op == "remote error", errors.Is(err, nats.ErrTLS):
		return fmt.Errorf("%s ends TLS with this side (%w): name the files of a certificate that it trusts, and of its key, in NATS_CERT and NATS_KEY", q.where, err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%s has no TLS (%w): write nats:// where that is enough, or start the server with a certificate", q.where, err)
	}
	return fmt.Errorf("no NATS server can be used at %s (%w): start one with JetStream (nats-server -js), or name another", q.where, err)
}

// Close ends the connection.
func (q *Queue) Close() { q.nc.Close() }

// The names of the streams.
const (
	rangesStream  = "LOCKSTEP_RANGES"
	resultsStream = "LOCKSTEP_RESULTS"
)

// forgotten is how long results are kept without a coordinator.
const forgotten = 30 * 24 * time.Hour

// setUp finds or creates the streams. It retries, as a cluster may be electing a leader.
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
	// A result that is stored again replaces the old one.
	results := jetstream.StreamConfig{
		Name: resultsStream, Description: "lockstep: works and what their ranges have come to", Replicas: replicas, MaxAge: forgotten, MaxMsgsPerSubject: 1,
		Subjects: []string{workSubject + ".*", resultSubject + ".*.*.*", failedSubject + ".*.*", crashSubject + ".*.*.*"},
	}
	err = q.patiently(ctx, 10*time.Second, func(ctx context.Context) (err error) {
		if q.ranges, err = q.stream(ctx, ranges); err == nil {
			q.results, err = q.stream(ctx, results)
		}
		if errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			err = &finalError{err}
		}
		return err
	})
	switch {
	case err != nil && q.gone.Err() != nil:
		return err
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%s keeps no streams (%w): start its servers with JetStream (nats-server -js), and allow it for the account", q.where, err)
	case err != nil:
		return fmt.Errorf("%s does not make the streams of the queue (%w): of a cluster three servers have to be up, with room on their disks", q.where, err)
	}
	return nil
}

// stream returns a stream, creating it if it is missing.
func (q *Queue) stream(ctx context.Context, of jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, of.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = q.js.CreateStream(ctx, of)
	}
	return s, err
}

// patiently retries until success, for the limit, or as long as there is a connection when that is
// 0.
func (q *Queue) patiently(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	began := time.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		watch := context.AfterFunc(q.gone, cancel)
		err := try(once)
		watch()
		cancel()
		var final *finalError
		switch {
		case err != nil && q.gone.Err() != nil && ctx.Err() == nil:
			return context.Cause(q.gone)
		case err == nil || ctx.Err() != nil:
			return cmp.Or(ctx.Err(), err)
		case errors.As(err, &final):
			return final.error
		case limit > 0 && time.Since(began) > limit:
			return err
		}
		select {
		case <-ctx.Done():
		case <-q.gone.Done():
		case <-time.After(pause):
		}
	}
}

// finalError is an error that a retry cannot fix.
type finalError struct{ error }
