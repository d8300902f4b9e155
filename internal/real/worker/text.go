package worker

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/world"
)

// The texts of requests to etcd, ZooKeeper and Consul and of their answers, word by word
// as the simulator writes them: a scenario waits for a request by its name, and a
// report of a real run is to read like one of a simulated run.

const okText = "OK"

// errorText is the text of an answer that refuses.
func errorText(err error) string {
	var database *world.SQLError
	switch {
	case errors.As(err, &database):
		return sqlErrorText(database)
	case strings.HasPrefix(err.Error(), "zk: "):
		return "(error) " + err.Error()
	}
	return err.Error()
}

var etcdOpNames = [...]string{world.EtcdGet: "GET", world.EtcdPut: "PUT", world.EtcdDelete: "DELETE"}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
func hex(n int64) string     { return strconv.FormatInt(n, 16) }

func grantText(seconds int64) string { return "GRANT " + decimal(seconds) }

func leaseRequestText(name string, lease int64) string { return name + " " + hex(lease) }

func leaseText(l world.EtcdLease) string { return "lease " + hex(l.ID) + ", " + ttlText(l.TTL) }

func ttlText(ttl time.Duration) string { return "TTL " + decimal(int64(ttl/time.Second)) }

func watchText(key string, prefix bool, from int64) string {
	out := "WATCH " + key
	if prefix {
		out += " PREFIX"
	}
	if from > 0 {
		out += " FROM " + decimal(from)
	}
	return out
}

func opText(op *world.EtcdOp) string {
	out := etcdOpNames[op.Kind] + " " + op.Key
	switch {
	case op.Kind == world.EtcdPut:
		if op.Value != "" {
			out += " " + op.Value
		}
		if op.Lease != 0 {
			out += " LEASE " + hex(op.Lease)
		}
	case !op.Prefix:
	case op.Kind == world.EtcdGet && op.MaxCreateRevision > 0:
		out += " PREFIX LAST CREATED UP TO " + decimal(op.MaxCreateRevision)
	case op.Kind == world.EtcdGet && op.FirstCreated:
		out += " PREFIX FIRST CREATED"
	default:
		out += " PREFIX"
	}
	return out
}

func txnText(t *world.EtcdTxn) string {
	conditions := make([]string, 0, len(t.If))
	for _, c := range t.If {
		of := "create("
		if c.Mod {
			of = "mod("
		}
		conditions = append(conditions, of+c.Key+") = "+decimal(c.Revision))
	}
	return "TXN" + after(" IF ", conditions, " AND ") + after(" THEN ", opTexts(t.Then), ", ") + after(" ELSE ", opTexts(t.Else), ", ")
}

// after is a word and a list; nothing when the list is empty.
func after(word string, list []string, separator string) string {
	if len(list) == 0 {
		return ""
	}
	return word + strings.Join(list, separator)
}

func opTexts(ops []world.EtcdOp) []string {
	out := make([]string, 0, len(ops))
	for i := range ops {
		out = append(out, opText(&ops[i]))
	}
	return out
}

// resultText tells what a transaction or an operation found.
func resultText(r *world.EtcdResult, txn bool) string {
	out := ""
	switch {
	case txn && r.Succeeded:
		out = "succeeded, "
	case txn:
		out = "failed, "
	}
	out += "revision " + decimal(r.Revision)
	for _, part := range r.Responses {
		if part.Deleted > 0 {
			out += ", deleted " + decimal(part.Deleted)
		}
		for _, kv := range part.KVs {
			out += ", " + kv.Key + " created " + decimal(kv.CreateRevision)
		}
	}
	return out
}

var zkModeTexts = [...]string{
	world.ZKPersistent: "", world.ZKEphemeral: " EPHEMERAL", world.ZKEphemeralSequential: " EPHEMERAL SEQUENTIAL",
}

func zkConnectText(timeout time.Duration, session int64) string {
	out := "CONNECT " + decimal(timeout.Milliseconds())
	if session != 0 {
		out += " SESSION 0x" + hex(session)
	}
	return out
}

func zkSessionText(id int64, timeout time.Duration) string {
	return "session 0x" + hex(id) + ", timeout " + decimal(timeout.Milliseconds())
}

func zkCreateText(path string, mode world.ZKMode) string { return "CREATE " + path + zkModeTexts[mode] }

func zkDeleteText(path string, version int32) string {
	return "DELETE " + path + " " + decimal(int64(version))
}

func zkExistsText(path string, watch bool) string {
	if watch {
		return "EXISTS " + path + " WATCH"
	}
	return "EXISTS " + path
}

func zkChildrenText(path string) string { return "CHILDREN " + path }

func zkSetWatchesText(since int64, paths []string) string {
	return "SETWATCHES SINCE " + decimal(since) + after(" ", paths, " ")
}

func zkStatText(s *world.ZKStat) string {
	if s == nil {
		return "no node"
	}
	out := "czxid " + decimal(s.Czxid) + ", version " + decimal(int64(s.Version))
	if s.EphemeralOwner != 0 {
		out += ", session 0x" + hex(s.EphemeralOwner)
	}
	return out
}

func zkNamesText(names []string) string { return "[" + strings.Join(names, " ") + "]" }

func consulSessionText(ttl, lockDelay time.Duration, behavior string) string {
	return "SESSION TTL " + ttl.String() + " LOCK-DELAY " + lockDelay.String() + " BEHAVIOR " + behavior
}

func consulKeyText(name, key, session string) string { return name + " " + key + " SESSION " + session }

func consulGetText(key string, after int64, wait time.Duration) string {
	if after > 0 {
		return "GET " + key + " INDEX " + decimal(after) + " WAIT " + wait.String()
	}
	return "GET " + key
}

func consulKVText(kv world.ConsulKV) string {
	indices := ", lock index " + decimal(kv.LockIndex) + ", modify index " + decimal(kv.ModifyIndex)
	switch {
	case !kv.Exists:
		return "no key, index " + decimal(kv.Index)
	case kv.Session == "":
		return "not locked" + indices
	}
	return "locked by " + kv.Session + indices
}
