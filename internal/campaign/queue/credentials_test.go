package queue

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"lockstep/internal/campaign/queue/queuetest"
	"lockstep/internal/must"
)

// safe is a folder for what a test keeps secret.
type safe struct {
	t   *testing.T
	dir string
}

func (s safe) keep(name string, data []byte) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	must.Do(s.t, os.WriteFile(path, data, 0o600))
	return path
}

// authority signs certificates: the file of its own one is called name.crt.
type authority struct {
	safe
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(s safe, name string) *authority {
	a := &authority{safe: s, key: must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(s.t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key))(s.t)
	a.cert, a.file = must.Get(x509.ParseCertificate(der))(s.t), s.keep(name+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// sign makes a certificate for 127.0.0.1, and returns the files of it and of its key.
func (a *authority) sign(name string) (cert, key string) {
	own := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, a.cert, &own.PublicKey, a.key))(a.t)
	return a.keep(name+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		a.keep(name+".key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: must.Get(x509.MarshalECPrivateKey(own))(a.t)}))
}

// realm is an operator with an account and a user of it, as a server with JWTs has them. It returns
// the server's configuration and the file of the user's credentials.
func realm(s safe) (config, creds string) {
	pair := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		k := must.Get(make())(s.t)
		return k, must.Get(k.PublicKey())(s.t)
	}
	operator, operatorID := pair(nkeys.CreateOperator)
	_, systemID := pair(nkeys.CreateAccount)
	account, accountID := pair(nkeys.CreateAccount)
	user, userID := pair(nkeys.CreateUser)
	o := jwt.NewOperatorClaims(operatorID)
	o.SystemAccount = systemID
	a := jwt.NewAccountClaims(accountID)
	a.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	config = fmt.Sprintf("operator: %s\nresolver: MEMORY\nresolver_preload: {%s: %s, %s: %s}\n", must.Get(o.Encode(operator))(s.t),
		systemID, must.Get(jwt.NewAccountClaims(systemID).Encode(operator))(s.t), accountID, must.Get(a.Encode(operator))(s.t))
	token := must.Get(jwt.NewUserClaims(userID).Encode(account))(s.t)
	return config, s.keep("user.creds", must.Get(jwt.FormatUserConfig(token, must.Get(user.Seed())(s.t)))(s.t))
}

// Each kind of credentials works with a real server, for a coordinator and a worker; where it does
// not, a sentence says why.
func TestRealServersTakeTheCredentialsOfTheirClients(t *testing.T) {
	s := safe{t, t.TempDir()}
	ours, theirs := newAuthority(s, "ours"), newAuthority(s, "theirs")
	serverCert, serverKey := ours.sign("server")
	clientCert, clientKey := ours.sign("client")
	otherCert, otherKey := theirs.sign("other")
	jwts, creds := realm(s)
	_, otherCreds := realm(safe{t, t.TempDir()})
	key, otherUser := must.Get(nkeys.CreateUser())(t), must.Get(nkeys.CreateUser())(t)
	seed, otherSeed := s.keep("seed", must.Get(key.Seed())(t)), s.keep("other.seed", must.Get(otherUser.Seed())(t))
	tls := fmt.Sprintf("tls: {cert_file: %q, key_file: %q", serverCert, serverKey)
	const refuses, works = "refuses the credentials", ""
	for _, server := range []struct {
		name, config string
		clients      []string // scheme and user of the address, environment, and message
	}{
		{"password", `authorization: {user: anna, password: secret}`, []string{
			"nats://anna:secret@||" + works,
			"nats://|NATS_USER=anna NATS_PASSWORD=secret|" + works,
			"nats://|NATS_USER=anna NATS_PASSWORD=wrong-secret|" + refuses,
			"nats://|NATS_TOKEN=secret|" + refuses,
			"nats://||" + refuses,
			"tls://anna:secret@||has no TLS",
		}},
		{"token", `authorization: {token: secret}`, []string{"nats://|NATS_TOKEN=secret|" + works, "nats://|NATS_TOKEN=wrong-secret|" + refuses}},
		{"nkey", fmt.Sprintf(`authorization: {users: [{nkey: %s}]}`, must.Get(key.PublicKey())(t)), []string{
			"nats://|NATS_NKEY=" + seed + "|" + works,
			"nats://|NATS_NKEY=" + otherSeed + "|" + refuses,
			"nats://|NATS_NKEY=" + creds + ".none|NATS_NKEY names a file that cannot be read",
			"nats://|NATS_NKEY=" + s.keep("not-a.seed", []byte("a word")) + "|NATS_NKEY: nkeys: no nkey seed found: name the file of a seed",
		}},
		{"creds", jwts, []string{
			"nats://|NATS_CREDS=" + creds + "|" + works,
			"nats://|NATS_CREDS=" + otherCreds + "|" + refuses,
			"nats://||" + refuses,
			"nats://|NATS_CREDS=/nowhere/user.creds|NATS_CREDS names a file that cannot be read",
		}},
		{"tls", tls + "}", []string{
			"tls://|NATS_CA=" + ours.file + "|" + works,
			"nats://|NATS_CA=" + ours.file + "|" + works, // the server asks for it
			"tls://||is not trusted",
			"tls://|NATS_CA=" + theirs.file + "|is not trusted",
			"tls://|NATS_CA=/nowhere/ca.crt|NATS_CA names a file that cannot be read",
		}},
		{"mutual", tls + fmt.Sprintf(", ca_file: %q, verify: true}", ours.file), []string{
			"tls://|NATS_CA=" + ours.file + " NATS_CERT=" + clientCert + " NATS_KEY=" + clientKey + "|" + works,
			"tls://|NATS_CA=" + ours.file + "|ends TLS with this side",
			"tls://|NATS_CA=" + ours.file + " NATS_CERT=" + otherCert + " NATS_KEY=" + otherKey + "|ends TLS with this side",
			"tls://|NATS_CA=" + ours.file + " NATS_CERT=" + clientCert + " NATS_KEY=" + otherKey + "|NATS_CERT and NATS_KEY: tls: private key does not match",
		}},
		{"permissions", `authorization: {users: [{user: anna, password: secret, permissions: {publish: ["$JS.API.STREAM.>"], subscribe: ["_INBOX.>"]}},
			{user: bert, password: secret, permissions: {publish: ["lockstep.>", "$JS.API.>", "$JS.ACK.>"], subscribe: ["lockstep.>", "_INBOX.>"]}}]}`, []string{
			"nats://bert:secret@||" + works,
			"nats://anna:secret@||does not let these credentials use the queue",
		}},
		{"account", `accounts: {A: {users: [{user: anna, password: secret}]}}`, []string{"nats://anna:secret@||keeps no streams"}},
	} {
		t.Run(server.name, func(t *testing.T) {
			at := queuetest.Start(t, t.TempDir(), queuetest.Ports(t, 1)[0], server.config)
			for _, client := range server.clients {
				words := strings.Split(client, "|")
				t.Run("", func(t *testing.T) {
					for _, x := range strings.Fields(words[1]) {
						name, value, _ := strings.Cut(x, "=")
						t.Setenv(name, value)
					}
					said := exchange(t, words[0]+at.Host())
					if works := words[2] == ""; (said == "") != works || !strings.Contains(said, words[2]) || strings.Contains(said, "secret") {
						t.Errorf("%s with %q says %q, not %q", words[0], words[1], said, words[2])
					}
				})
			}
		})
	}
}

// exchange has a coordinator and a worker do a small work, and returns what keeps them from it.
func exchange(t *testing.T, address string) string {
	h := &house{t: t}
	var queues [2]*Queue
	for i := range queues {
		q, err := Connect(t.Context(), address, "test", h.record)
		if err != nil {
			return err.Error()
		}
		defer q.Close()
		queues[i] = q
	}
	w := NewWorker(queues[0], "v1", 1, nil)
	w.players = func() player { return scripted(squares) }
	go func() { _ = w.Work(t.Context()) }()
	part, _, err := queues[1].Do(t.Context(), Job{Work: newWork(t, "v1", "text"), Of: 3})
	if err != nil {
		return err.Error()
	}
	want(t, part, 3)
	if err := queues[1].Forget(t.Context(), part.Work); err != nil {
		t.Error(err)
	}
	return ""
}
