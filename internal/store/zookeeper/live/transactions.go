package live

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ZooKeeper does not report the owner of a removed node, but each server writes every transaction
// to its log before it answers. A log is a header of 16 bytes, then for each transaction a
// checksum (8 bytes), a length (4), a record of that length, and the letter B. A record is
// session, cxid, zxid, time, type, and the data of the type, which begins with the path of a
// created or deleted node. All numbers are big endian; zeros pad the file (FileTxnLog,
// FileHeader, TxnHeader of ZooKeeper 3.4 to 3.9).

// The types of transactions that no request here has (ZooDefs.OpCode).
const (
	opMulti         = 14
	opFailed        = -1
	opCreateSession = -10
)

// The types that create and delete a node: by any client, with a container or with a time to live.
var (
	creating = []int32{opCreate, 15, 19, 21}
	deleting = []int32{opDelete, 20}
)

// transaction is one record of a transaction log.
type transaction struct {
	session, zxid int64
	kind          int32
	path          string // of the node that it creates or deletes, or empty
}

// transactionsOf reads all logs of a server whose dataDir is dir.
func transactionsOf(dir string) ([]transaction, error) {
	files, err := filepath.Glob(filepath.Join(dir, "version-2", "log.*"))
	if err == nil && len(files) == 0 {
		err = &fs.PathError{Op: "find transaction logs", Path: dir, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	var all []transaction
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		some, err := readTransactions(f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// longestTransaction is above ZooKeeper's own limit (jute.maxbuffer), which is 1 MB.
const longestTransaction = 2 << 20

var errNoLog = errors.New("not a transaction log of ZooKeeper")

func readTransactions(r io.Reader) ([]transaction, error) {
	in := bufio.NewReader(r)
	var head [16]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || string(head[:4]) != "ZKLG" {
		return nil, errNoLog
	}
	var all []transaction
	for {
		var before struct {
			Checksum int64
			Length   int32
		}
		if err := binary.Read(in, binary.BigEndian, &before); err != nil || before.Length == 0 {
			return all, nil // the end of the file, or its padding
		}
		if before.Length < 0 || before.Length > longestTransaction {
			return nil, fmt.Errorf("%w: a transaction of %d bytes", errNoLog, before.Length)
		}
		record := make([]byte, before.Length+1)
		if _, err := io.ReadFull(in, record); err != nil || record[before.Length] != 'B' {
			return all, nil // it is being written
		}
		one, err := parseTransaction(record[:before.Length])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

func parseTransaction(in input) (t transaction, err error) {
	const header = 8 + 4 + 8 + 8 + 4
	if len(in) < header {
		return t, fmt.Errorf("%w: a transaction without a header", errNoLog)
	}
	t.session = in.long()
	in.int() // the client's number of the request
	t.zxid = in.long()
	in.long() // the time
	if t.kind = in.int(); !slices.Contains(creating, t.kind) && !slices.Contains(deleting, t.kind) {
		return t, nil
	}
	length := int(in.int())
	if t.path = string(in.skip(length)); len(t.path) != length {
		return t, fmt.Errorf("%w: a node without a path", errNoLog)
	}
	return t, nil
}

// onlyOwnRemoved reports whether the logs of an ensemble's servers prove that each session has
// deleted only its own nodes, among those at path or below. It is also false if a transaction is
// missing, or consists of several. If path is empty, all nodes count, and every other kind of
// change is in doubt: a lock may be the data of a node.
func onlyOwnRemoved(logs [][]transaction, path string) bool {
	all := slices.Concat(logs...)
	slices.SortStableFunc(all, func(a, b transaction) int { return cmp.Compare(a.zxid, b.zxid) })
	all = slices.Compact(all)
	owners := map[string]int64{}
	for i := range all {
		t := &all[i]
		if i > 0 && t.zxid == all[i-1].zxid {
			return false // two servers disagree
		}
		owner, there := owners[t.path]
		switch {
		case t.kind == opMulti:
			return false
		case t.kind == opFailed || t.kind == opCreateSession:
		case t.kind == opClose:
			for at, its := range owners {
				if its == t.session {
					delete(owners, at)
				}
			}
		case t.path != path && !strings.HasPrefix(t.path, path+"/"):
		case slices.Contains(creating, t.kind):
			if there {
				return false
			}
			owners[t.path] = t.session
		case !there || owner != t.session:
			return false
		default:
			delete(owners, t.path)
		}
	}
	return true
}
