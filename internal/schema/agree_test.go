package schema_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/scenario"
	"lockstep/internal/schema"
)

// Package scenario decides which files are valid, and the schema repeats that for editors. These
// tests compare the two.

const redisHead = "scenario: x\nlocks: [set-nx-lua]\nclients: [A, B]\n"

var durations = []string{
	"0s", "10s", "1m30s", "1.5s", "0.001us", "7ns", "24h", "1h2m3s4ms5us6ns", "10", "1.5ns", "1.0005s", "-1s", "+1s",
	`"10 s"`, "10sec", "1e3s", "s", `""`, "", "~", "[10s]", "{a: 1s}", "10s..20s", "true",
}

// places are templates of files, and values for their %s that both must judge alike.
var places = []struct {
	name, file string
	values     []string
}{
	{"title", "scenario: %s\n", []string{"x", "42", "1.5", `""`, "[x]", "{x: 1}", "", strings.Repeat("x", 200), strings.Repeat("x", 201)}},
	{"story", "scenario: x\nstory: %s\n", []string{"x", `""`, `" "`, "[x]", "", strings.Repeat("x", 4000), strings.Repeat("x", 4001)}},
	{"level", "scenario: x\nlevel: %s\n", []string{"0", "1", "3", "4", "-1", "1.5", "high", ""}},
	{"locks", "scenario: x\nlocks: %s\n", []string{
		"all", "set-nx-lua", "[all]", "[set-nx-lua]", "[set-nx-lua, etcd-mutex]", "[]", "[set-nx-lua, set-nx-lua]", "[x]", "", "3", "{a: 1}",
	}},
	{"lease", "scenario: x\nlocks: [setnx]\nlease: %s\n", durations},
	{"clients", "scenario: x\nlocks: [set-nx-lua]\nclients: %s\n", []string{
		"1", "2000", "0", "2001", "-1", "[A, {name: B, work: 1s}]", "[A, {name: web, count: 3, wait: 0s}]", "[{work: 1s}]", "[{name: B, fence: none}]", "[{name: B, work: slow}]", "[{name: B, count: 0}]", "2.5", "A", "[A]", "[A, B]", "[A, A]", "[]", "[1, 2]", "[a b]", "[_a]", "[-a]", "[a-b_c]",
		"[" + strings.Repeat("a", 32) + "]", "[" + strings.Repeat("a", 33) + "]", "[Ä]", "[[A]]", "[~]", "",
	}},
	{"repeat", redisHead + "workload:\n  repeat: %s\n", []string{
		"once", "1 time", "20 times", "10000 times", "10001 times", "0 times", "20", "twice", "-1 times", "20  times", "",
	}},
	{"wait", redisHead + "workload:\n  wait: %s\n", []string{"0s", "up to 40s", "up to  40s", "40s", "up to 0s", "up to", "up to 40", "upto 40s", ""}},
	{"work", redisHead + "workload:\n  work: %s\n", append([]string{"1s..2s", "1s .. 2s", "p50 1s, p99.9 4s", "min 0s, p50 1s, p99 4s, max 9s", "p50 1s", "p50, p99", "p100 1s, p50 1s", "1s, 2s", "1s..", "..2s", "1s...2s", "0s..0s", "1s-2s", "1s..2s..3s"},
		slices.DeleteFunc(slices.Clone(durations), func(d string) bool { return d == "10s..20s" })...)},
	{"stagger", redisHead + "workload:\n  stagger: %s\n", durations},
	{"release-again", redisHead + "workload:\n  release-again: %s\n", durations},
	{"fence", redisHead + "workload:\n  fence: %s\n", []string{"none", "writes", "reads and writes", "reads", "true", "", "[none]"}},
	{"nested", redisHead + "workload:\n  nested: %s\n", []string{"0", "10", "11", "-1", "1.5", "once", ""}},
	{"loss", redisHead + "network:\n  loss: %s\n", []string{
		"0%", "100%", "100.0%", "100.0001%", "101%", "0.5%", "0.0001%", "0.00001%", "050%", "5", "-5%", "5 %", "%", "", ".5%",
	}},
	{"timeout", redisHead + "network:\n  timeout: %s\n", durations},
	{"replicas", redisHead + "servers:\n  redis: {replicas: %s}\n", []string{"0", "10", "11", "-1", "one", "1.5", ""}},
	{"lag", redisHead + "servers:\n  redis: {replicas: 1, lag: %s}\n", slices.DeleteFunc(slices.Clone(durations), func(d string) bool { return strings.HasPrefix(d, "{") })},
	{"persistence", redisHead + "servers:\n  redis: {persistence: %s}\n", []string{"none", "everysec", "always", "never", "", "1"}},
	{"redis failover", redisHead + "servers:\n  redis: {replicas: 1, failover: %s}\n", []string{
		"{by: operator}", "{by: sentinel}", "{by: nobody}", "{after: 1s}", "{by: sentinel, down-after: 1s, election: 1s}", "{}", "operator", "",
	}},
	{"redis cluster", redisHead + "servers:\n  redis: {cluster: %s}\n", []string{
		"{}", "{shards: 3}", "{shards: 2}", "{shards: 7}", "{shards: 8}", "{replicas: 0}", "{replicas: 11}", "{node-timeout: 5s}", "{node-timeout: 0s}", "{slots: 3}", "3", "",
	}},
	{"mysql failover", "scenario: x\nlocks: [mysql-unique]\nservers:\n  mysql: {replicas: 1, failover: %s}\n", []string{
		"{by: operator}", "{by: sentinel}", "{after: 1s}", "{down-after: 1s}",
	}},
	{"idle-timeout", "scenario: x\nlocks: [mysql-unique]\nservers:\n  mysql: {idle-timeout: %s}\n", []string{"never", "Never", "30s", "1ms", "0s", "30", "-1s", "[10s]", ""}},
	{"nodes", "scenario: x\nlocks: [etcd-mutex]\nservers:\n  etcd: {nodes: %s}\n", []string{"1", "15", "16", "0", "three"}},
	{"tick", "scenario: x\nlocks: [zk-sequential]\nservers:\n  zookeeper: {tick: %s}\n", []string{"2s", "1ms", "0s", "2", "fast"}},
	{"clock", redisHead + "clocks:\n  B: %s\n", []string{
		"{offset: +12s}", "{offset: -500ms}", "{offset: 12s}", "{offset: 0s}", "{offset: 12}", "{offset: +-1s}", "{drift: 200ppm}", "{drift: -50ppm}",
		"{drift: +1ppm}", "{drift: 200}", "{drift: 1.5ppm}", "{drift: 2%}", "{}", "fast", "",
	}},
	{"node of a clock", redisHead + "clocks:\n  %s: {offset: 1s}\n", []string{"A", "redis-1", "the holder"}},
	{"at", redisHead + "faults:\n  - {at: %s, crash: A}\n", slices.DeleteFunc(slices.Clone(durations), func(d string) bool { return strings.HasPrefix(d, "{") })},
	{"moment", redisHead + "faults:\n  - {when: %s, crash: A}\n", []string{
		"A enters", "B acquires every time", "any client writes the 3rd time", "the holder wakes", "the next holder enters the 1st time",
		"A sends SET", "A is about to send any command", "B has unlock executed the 22nd time", "A has the reply of GET", "A  is  in its critical section",
		"enters", "A", "A entered", "A sends", "A sends SET GET", "the primary enters", "A enters the third time", "A enters every  time", "A enters 3 times",
		"A enters in its 2nd round", "A sends SET in its 1st round the 3rd time", "A enters in its second round", "A enters the 3rd time in its 1st round",
		`""`, "", "[A enters]", "42",
	}},
	{"moment behind another one", redisHead + "faults:\n  - {at: 1s, crash: A}\n  - {when: %s, crash: B}\n", []string{
		"A enters after fault 1", "A sends SET in its 2nd round after fault 1 the 3rd time", "B enters after fault 1 every time",
		"A enters after fault one", "A enters after 1", "A enters after fault 1 in its 2nd round", "A enters after the fault",
	}},
	{"fault", redisHead + "servers:\n  redis: {replicas: 1}\nfaults:\n  - %s\n", []string{
		"{when: A enters, pause: A, for: 15s}", "{when: A enters, pause: the holder, until: B enters}", "{when: A enters, pause: redis-1, forever: true}",
		"{when: A enters, pause: A}", "{when: A enters, pause: A, for: 0s}", "{when: A enters, pause: A, for: 1s, forever: true}", "{pause: A, for: 1s}",
		"{when: A enters, pause: A, forever: false}", "{when: A enters, pause: A, until: 3s}", "{when: A enters, after: 40ms, crash: A}",
		"{at: 1s, after: 40ms, crash: A}", "{at: 1s, every: 2s, crash: A}", "{every: 2s, crash: A}", "{every: 0s, crash: A}", "{crash: A}", "{when: A enters}",
		"{when: A enters, crash: A, for: 1s}", "{when: A enters, crash: A, drop: reply}", "{when: A enters, crash: A, by: 1s}", "{when: A enters, crash: [A]}",
		"{when: A enters, crash: }", "{when: A enters, slow: A, by: 1s}", "{when: A enters, slow: A}", "{when: A enters, slow: the primary, by: 1s}",
		"{when: A enters, hang: A}", "{when: A enters, lose-host: A}", "{when: A enters, lose-host: the primary}", "{when: A sends SET, drop: reply}", "{when: A enters, drop: reply}", "{at: 1s, drop: reply}", "{when: A sends SET, drop: both}",
		"{when: A sends SET, delay: reply, by: 1s}", "{when: A sends SET, after: 1s, delay: reply, by: 1s}", "{when: A sends SET, after: 0s, delay: reply, by: 1s}",
		"{when: A enters, jump-clock: A, by: +1s}", "{when: A enters, jump-clock: A, by: -1s}", "{when: A enters, jump-clock: A, by: 0s}", "{when: A enters, jump-clock: A, by: 5%}",
		"{when: A enters, drift-clock: redis-1, rate: +5%, for: 1s}", "{when: A enters, drift-clock: A, rate: 200ppm, for: 1s}", "{when: A enters, drift-clock: A, rate: 0%, for: 1s}",
		"{when: A enters, drift-clock: A, rate: 5, for: 1s}", "{when: A enters, drift-clock: A, rate: 5%}", "{when: A enters, restart: redis-1}", "{when: A enters, restart: A, down: 1s}",
		"{when: A enters, partition: [A, store], for: 1s}", "{when: A enters, partition: [[A, B], [redis-1], replicas], for: 1s}", "{when: A enters, partition: [A], for: 1s}",
		"{when: A enters, partition: [A, []], for: 1s}", "{when: A enters, partition: A, for: 1s}", "{when: A enters, cut: [A, the primary], for: 1s}", "{when: A enters, cut: [A, B, store], for: 1s}",
		"{when: A enters, fail-over: operator}", "{when: A enters, fail-over: nobody}", "{when: A enters, promote: replica}", "{when: A enters, lag: 3s, for: 1s}", "{when: A enters, lag: 0s, for: 1s}",
		"{when: A enters, evict: lock}", "{when: A enters, evict: lock, from: redis-1}", "{when: A enters, evict: lock, from: A}", "{when: A enters, evict: key}", "{when: A enters, after: 1s..2s, pause: A, for: 'p50 20ms, p99.9 4s'}", "{at: 1s..2s, crash: A, chance: 5%}", "{at: 1s, crash: A, chance: 0%}", "{at: 1s, crash: A, chance: 5}",
		"{when: any client sends SET, crash: that client}", "{when: any client sends SET every time, chance: 10%, delay: reply, by: 1s..2s}", "{when: A enters, slow: A, by: 1s..2s}", "{every: 500ms..1s, pause: the holder, for: 20ms..40ms}", "{when: A enters, puase: A}", "crash", "{}", "[]", "",
	}},
	{"seed", redisHead + "seed: %s\n", []string{"1", "7", "0", "-1", "1.5", "x", "", "[1]", "18446744073709551615"}},
	{"origin", redisHead + "origin: %s\n", []string{"x", `""`, "[x]", ""}},
	{"chaos", redisHead + "servers:\n  redis: {replicas: 1}\nworkload: {repeat: 20 times}\nchaos: %s\n", []string{
		"{pick from: [pause], every: 1s..3s}", "{pick from: [pause, partition, fail-over], every: 1s, heal: 5s before the end, for: 1s..2s}",
		"{pick from: [], every: 1s}", "{pick from: [pause, pause], every: 1s}", "{pick from: pause, every: 1s}", "{pick from: [puase], every: 1s}",
		"{every: 1s}", "{pick from: [pause]}", "{pick from: [pause], every: 0s}", "{pick from: [pause], every: 1}", "{pick from: [pause], every: 1s, heal: 5s}",
		"{pick from: [pause], every: 1s, heal: before the end}", "{pick from: [pause], every: 1s, for: 0s}", "{pick from: [pause], every: 1s, when: A enters}",
		"[]", "pause", "",
	}},
	{"chaos beside faults", redisHead + "workload: {repeat: 20 times}\nchaos: {pick from: [pause], every: 1s}\n%s\n", []string{"", "faults: []", "faults: [{at: 1s, crash: A}]", "vary: {lease: [1s, 2s]}"}},
	{"vary", redisHead + "faults:\n  - {when: A enters, pause: A, for: 15s}\n  - {at: 1s, jump-clock: B, by: +1s}\nvary: %s\n", []string{
		"{lease: [1s, 2s]}", "{lease: 1s..5s step 1s}", "{lease: 1s..5s}", "{lease: [1s]}", "{lease: []}", "{lease: 1s}", "{lease: [1s, 1s]}", "{lease: [1, 2]}",
		"{lease: [1s, 2s], pause: 0s..5s step 500ms}", "{lease: [1s, 2s], pause: [1s, 2s], work: [1s, 2s]}", "{}", "[]", "lease", "",
		"{loss: 0%..5% step 1%}", "{loss: [0.5%, 1%]}", "{loss: [1s, 2s]}", "{replicas: [0, 1]}", "{replicas: 0..4 step 2}", "{replicas: [-1, 1]}", "{replicas: [x, y]}",
		"{latency: [1ms, 2ms]}", "{drift of B: [0ppm, 200ppm]}", "{offset of B: [-1s, +1s]}", "{jump-clock: [-1s, +1s]}", "{after of pause: [0s, 1s]}", "{for of the 1st pause: [0s, 1s]}",
		"{puase: [1s, 2s]}", "{lease of B: [1s, 2s]}", "{the second pause: [1s, 2s]}",
	}},
	{"expect", redisHead + "expect:\n  %s\n", []string{
		"set-nx-lua: {progress: kept}", "every lock: {progress: broken, mutual-exclusion: kept}", "set-nx-lua: {progress: unknown}", "set-nx-lua: {safety: kept}",
		"set-nx-lua: kept", "every lock: {}", "set-nx-luaa: {progress: kept}", "set-nx-lua:",
	}},
}

func TestTheReaderAndTheSchemaAgree(t *testing.T) {
	v := newValidator(t)
	for _, place := range places {
		for _, value := range place.values {
			file := fmt.Sprintf(place.file, value)
			refused := v.problems(t, []byte(file))
			_, err := scenario.Parse("x.yaml", []byte(file))
			switch {
			case err == nil && refused != nil:
				t.Errorf("%s %s: the schema refuses a file that the reader accepts: %v", place.name, value, refused)
			case err != nil && refused == nil:
				t.Errorf("%s %s: the schema accepts a file that the reader refuses: %v", place.name, value, err)
			}
		}
	}
}

var listed = regexp.MustCompile(`unknown key "zzzzzzzzzzzz" in [^:]*: (?:the known ones are |choose |the only one is )(.*)`)

// TestTheReaderAndTheSchemaKnowTheSameKeys compares the keys of the schema with those that the
// reader lists for an unknown key.
func TestTheReaderAndTheSchemaKnowTheSameKeys(t *testing.T) {
	for path, lock := range map[string]string{
		"": "set-nx-lua", "chaos": "set-nx-lua", "workload": "set-nx-lua", "network": "set-nx-lua", "servers": "set-nx-lua",
		"servers/redis": "set-nx-lua", "servers/redis/failover": "set-nx-lua", "servers/redis/cluster": "set-nx-lua", "servers/redlock": "redlock",
		"servers/etcd": "etcd-mutex", "servers/zookeeper": "zk-sequential", "servers/consul": "consul-session",
		"servers/mysql": "mysql-unique", "servers/mysql/failover": "mysql-unique",
		"servers/postgres": "pg-advisory", "servers/postgres/failover": "pg-advisory",
	} {
		file := "scenario: x\nlocks: [" + lock + "]\n"
		at := schema.Scenario()
		indent := ""
		for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
			file += indent + key + ":\n"
			indent += "  "
			at = property(t, at, key)
		}
		_, err := scenario.Parse("x.yaml", []byte(file+indent+"zzzzzzzzzzzz: 1\n"))
		if err == nil {
			t.Fatalf("%q: an unknown key is accepted", path)
		}
		m := listed.FindStringSubmatch(err.Error())
		if m == nil {
			t.Fatalf("%q: the reader does not list its keys: %v", path, err)
		}
		want := strings.Split(strings.ReplaceAll(m[1], " or ", ", "), ", ")
		var got []string
		for _, p := range at.Properties {
			got = append(got, p.Name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: the schema has the keys %v, the reader %v", path, got, want)
		}
	}
}

func property(t *testing.T, s *schema.Schema, key string) *schema.Schema {
	t.Helper()
	for _, p := range s.Properties {
		if p.Name == key {
			return p.Value
		}
	}
	t.Fatalf("the schema has no key %s", key)
	return nil
}
