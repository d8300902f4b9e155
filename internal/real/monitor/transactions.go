package monitor

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

// The types of transactions that concern a node (ZooDefs.OpCode).
const (
	zkCreate          = 1
	zkDelete          = 2
	zkMulti           = 14
	zkCreate2         = 15
	zkCreateContainer = 19
	zkDeleteContainer = 20
	zkCreateTTL       = 21
	zkError           = -1
	zkCreateSession   = -10
	zkCloseSession    = -11
)

// Transaction is one record of a transaction log.
type Transaction struct {
	Session, ID int64 // ID is the zxid
	Type        int32
	Path        string // of the node that it creates or deletes, or empty
}

// TransactionsOf reads all logs of a ZooKeeper server whose dataDir is dir.
func TransactionsOf(dir string) ([]Transaction, error) {
	files, err := filepath.Glob(filepath.Join(dir, "version-2", "log.*"))
	if err == nil && len(files) == 0 {
		err = &fs.PathError{Op: "find transaction logs", Path: dir, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	var all []Transaction
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

func readTransactions(r io.Reader) ([]Transaction, error) {
	in := bufio.NewReader(r)
	var head [16]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || string(head[:4]) != "ZKLG" {
		return nil, errNoLog
	}
	var all []Transaction
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

func parseTransaction(record []byte) (Transaction, error) {
	const header = 8 + 4 + 8 + 8 + 4
	if len(record) < header {
		return Transaction{}, fmt.Errorf("%w: a transaction without a header", errNoLog)
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint64(record[at:])) }
	t := Transaction{Session: number(0), ID: number(12), Type: int32(binary.BigEndian.Uint32(record[28:]))}
	if !t.makes() && !t.removes() {
		return t, nil
	}
	rest := record[header:]
	if len(rest) < 4 || int64(binary.BigEndian.Uint32(rest)) > int64(len(rest)-4) {
		return t, fmt.Errorf("%w: a node without a path", errNoLog)
	}
	t.Path = string(rest[4 : 4+binary.BigEndian.Uint32(rest)])
	return t, nil
}

func (t *Transaction) makes() bool {
	return t.Type == zkCreate || t.Type == zkCreate2 || t.Type == zkCreateContainer || t.Type == zkCreateTTL
}

func (t *Transaction) removes() bool { return t.Type == zkDelete || t.Type == zkDeleteContainer }

// OnlyOwnRemoved reports whether the logs of an ensemble's servers prove that each session has
// deleted only its own nodes, among those at path or below. It is also false if a transaction is
// missing, or consists of several. If path is empty, all nodes count, and every other kind of
// change is in doubt: a lock may be the data of a node.
func OnlyOwnRemoved(logs [][]Transaction, path string) bool {
	all := slices.Concat(logs...)
	slices.SortStableFunc(all, func(a, b Transaction) int { return cmp.Compare(a.ID, b.ID) })
	all = slices.Compact(all)
	owners := map[string]int64{}
	for i := range all {
		t := &all[i]
		if i > 0 && t.ID == all[i-1].ID {
			return false // two servers disagree
		}
		owner, there := owners[t.Path]
		switch {
		case t.Type == zkMulti:
			return false
		case t.Type == zkError || t.Type == zkCreateSession:
		case t.Type == zkCloseSession:
			for at, its := range owners {
				if its == t.Session {
					delete(owners, at)
				}
			}
		case t.Path != path && !strings.HasPrefix(t.Path, path+"/"):
		case t.makes():
			if there {
				return false
			}
			owners[t.Path] = t.Session
		case !there || owner != t.Session:
			return false
		default:
			delete(owners, t.Path)
		}
	}
	return true
}
