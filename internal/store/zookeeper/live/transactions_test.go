package live

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store/zookeeper"
)

// The log of a real server has a session's changes of its own nodes, its end, and changes by
// another session.
func TestTransactionsOfARealServer(t *testing.T) {
	server := livetest.Start(t, zookeeper.ID, livestore.Wish{}).Members[0]
	a, b, c := zkClient(t, server.Addr), zkClient(t, server.Addr), zkClient(t, server.Addr)
	onlyOwn := func(path string) bool {
		log := must.Get(transactionsOf(server.Dir))(t)
		return onlyOwnRemoved([][]transaction{log, log}, path)
	}
	create := func(client *zk.Conn, path string) {
		t.Helper()
		must.Get(client.Create(path, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)))(t)
	}
	remove := func(client *zk.Conn, path string) {
		t.Helper()
		must.Do(t, client.Delete(path, -1))
	}
	create(a, "/lock")
	remove(a, "/lock")
	create(c, "/lock")
	c.Close() // which removes its node
	create(b, "/lock")
	if err := a.Delete("/nothing", -1); err == nil {
		t.Fatal("a missing node was removed")
	}
	if !onlyOwn("") {
		t.Error("no session has removed another one's node anywhere, and the log does not show that")
	}
	create(b, "/lockers") // not the lock's
	remove(a, "/lockers")
	if !onlyOwn("/lock") {
		t.Error("no session has removed another one's node, and the log does not show that")
	}
	remove(a, "/lock")
	if onlyOwn("/lock") || onlyOwn("") {
		t.Error("A has removed B's node, and the log does not show that")
	}
}

func zkClient(t *testing.T, addr string) *zk.Conn {
	t.Helper()
	conn, events, err := zk.Connect([]string{addr}, 2*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	return conn
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// Incomplete logs prove nothing.
func TestOnlyOwnRemovedInDoubt(t *testing.T) {
	const create, remove, write, multi, refused, begin, end = 1, 2, 5, 14, -1, -10, -11
	lock := func(session, id int64, kind int32) transaction {
		return transaction{session: session, zxid: id, kind: kind, path: "/lock"}
	}
	for name, tt := range map[string]struct {
		logs [][]transaction
		want bool
	}{
		"nothing":                {nil, true},
		"its own":                {[][]transaction{{lock(1, 1, create), lock(1, 2, remove), lock(2, 3, create)}}, true},
		"a node of another":      {[][]transaction{{lock(1, 1, create), lock(2, 2, remove)}}, false},
		"below the lock":         {[][]transaction{{{session: 1, zxid: 1, kind: create, path: "/lock/n"}, {session: 2, zxid: 2, kind: remove, path: "/lock/n"}}}, false},
		"a creation is missing":  {[][]transaction{{lock(1, 1, create), lock(1, 2, remove), lock(1, 4, remove)}}, false},
		"a removal is missing":   {[][]transaction{{lock(1, 1, create), lock(2, 3, create), lock(2, 4, remove)}}, false},
		"one server has it":      {[][]transaction{{lock(1, 1, create), lock(2, 3, create)}, {lock(1, 1, create), lock(1, 2, remove)}}, true},
		"the end of a session":   {[][]transaction{{lock(1, 1, create), {session: 1, zxid: 2, kind: end}, lock(2, 3, create)}}, true},
		"after the session":      {[][]transaction{{lock(1, 1, create), {session: 1, zxid: 2, kind: end}, lock(1, 3, remove)}}, false},
		"before the first node":  {[][]transaction{{{session: 1, zxid: 1, kind: begin}, {session: 2, zxid: 2, kind: refused}, lock(1, 3, create)}}, true},
		"several at once":        {[][]transaction{{lock(1, 1, multi)}}, false},
		"two servers, two words": {[][]transaction{{lock(1, 1, create)}, {lock(2, 1, create)}}, false},
	} {
		for _, path := range []string{"/lock", ""} {
			must.Equalf(t, onlyOwnRemoved(tt.logs, path), tt.want,
				"%s, path %q", name, path)
		}
	}
	// Where any node may be the lock's, so may be its data.
	written := [][]transaction{{lock(1, 1, create), {session: 2, zxid: 2, kind: write}}}
	if !onlyOwnRemoved(written, "/lock") || onlyOwnRemoved(written, "") {
		t.Error("the data of a node count when the lock's node is known, or not when it is not")
	}
}

// An invalid or incomplete file does not cause a panic.
func FuzzTransactions(f *testing.F) {
	f.Add([]byte("ZKLG\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("ZKLG\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x0012345678\x00\x00\x00\x05short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must.Do(t, os.MkdirAll(filepath.Join(dir, "version-2"), 0o700))
		must.Do(t, os.WriteFile(filepath.Join(dir, "version-2", "log.1"), data, 0o600))
		if log, err := transactionsOf(dir); err == nil {
			onlyOwnRemoved([][]transaction{log}, "/lock")
		}
	})
}
