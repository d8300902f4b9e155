package queue

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Embedded is a NATS server inside this program.
type Embedded struct {
	server *server.Server
	token  string
	host   string
}

// embeddedPayload is the size of the largest message, in bytes. The default of a server is 1 MiB.
const embeddedPayload = 8 << 20

// Embed starts a server that keeps its streams and token in a folder, at port 4222 of every
// address, or at "4333" or "127.0.0.1:4333".
func Embed(folder, at string) (*Embedded, error) {
	host, port := "0.0.0.0", at
	if strings.Contains(at, ":") {
		var err error
		if host, port, err = net.SplitHostPort(at); err != nil {
			return nil, fmt.Errorf("embedded:%s: %w: write embedded, embedded:4333 or embedded:127.0.0.1:4333", at, err)
		}
	}
	if port == "" {
		port = strconv.Itoa(server.DEFAULT_PORT)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("embedded:%s: %q is no port: write embedded, embedded:4333 or embedded:127.0.0.1:4333", at, port)
	}
	e := &Embedded{host: host}
	// The folder is named after the port, so two programs never share it.
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("no server can listen here (%w): end what listens there, or choose another port, as in embedded:4333", err)
	}
	_ = listener.Close()
	dir := filepath.Join(folder, port)
	if e.token, err = tokenOf(dir); err != nil {
		return nil, err
	}
	o := &server.Options{
		ServerName: "lockstep", Host: host, Port: int(number), Authorization: e.token, MaxPayload: embeddedPayload, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir,
	}
	if number == 0 {
		o.Port = server.RANDOM_PORT
	}
	if e.server, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("the embedded server does not start: %w", err)
	}
	go e.server.Start()
	if !e.server.ReadyForConnections(10*time.Second) || !e.server.JetStreamEnabled() {
		e.Close()
		return nil, fmt.Errorf("the embedded server does not start: is there room at %s, and is it yours?", dir)
	}
	return e, nil
}

// tokenOf reads the token of a folder, or draws one.
func tokenOf(dir string) (string, error) {
	path := filepath.Join(dir, "token")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data = []byte(rand.Text())
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
	}
	return string(data), err
}

// Address is the server's address for this program.
func (e *Embedded) Address() string { return e.at("127.0.0.1") }

// Inside makes a connection stay within the program.
func (e *Embedded) Inside() nats.Option { return nats.InProcessServer(e.server) }

func (e *Embedded) at(host string) string {
	_, port, _ := net.SplitHostPort(e.server.Addr().String())
	return "nats://" + e.token + "@" + net.JoinHostPort(host, port)
}

// Addresses are those for workers.
func (e *Embedded) Addresses() (all []string) {
	if ip := net.ParseIP(e.host); ip == nil || !ip.IsUnspecified() {
		return []string{e.at(e.host)}
	}
	addresses, _ := net.InterfaceAddrs() // optional, beside this machine's own
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			all = append(all, e.at(ip.IP.String()))
		}
	}
	return append(all, e.Address())
}

// Close ends the server; its streams stay in their folder.
func (e *Embedded) Close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}
