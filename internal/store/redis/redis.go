package redis

import "lockstep/internal/store"

// The stores that locks name to keep their entries in Redis.
const (
	ID      store.ID = "redis"       // one primary, with replicas or without, or a Redis Cluster
	NodesID store.ID = "redis-nodes" // several independent primaries
)

// requests are the commands that locks send; scripts have names of their own.
var requests = []string{
	"CAD", "CAS", "DEL", "EVAL", "EVALSHA", "EXISTS", "EXPIRE", "GET", "GETSET", "INCR", "PEXPIRE", "PUBLISH", "SET", "SETEX", "SETNX", "SUBSCRIBE", "WAIT",
}

func init() {
	s := store.Store{
		ID: ID, Place: 1, Node: "redis", Title: "Redis", About: "One primary and its replicas, or a Redis Cluster.",
		Topology: store.Replicated, Requests: requests, Expires: true, AtOnce: true, Scripts: true,
		Programs: []store.Program{{
			Name: "redis-server", Install: "sudo apt-get install -y redis-server", Version: []string{"--version"},
		}},
		Image: &store.Image{Product: "redis", Public: "redis:7", Command: "redis-server", Data: "/data"},
	}
	store.Register(s)
	s.ID, s.Place, s.Section, s.About, s.Topology = NodesID, 2, "redlock", "Independent primaries.", store.Independent
	store.Register(s)
}
