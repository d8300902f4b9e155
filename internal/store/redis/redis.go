package redis

import "lockstep/internal/store"

// What locks name to keep their entries in Redis.
const (
	ID      store.ID = "redis"       // one primary, with replicas or without, or a Redis Cluster
	NodesID store.ID = "redis-nodes" // several primaries that know nothing of each other
)

// requests are the commands of locks; scripts go by names of their own.
var requests = []string{
	"CAD", "CAS", "DEL", "EVAL", "EVALSHA", "EXISTS", "EXPIRE", "GET", "GETSET", "INCR", "PEXPIRE", "PUBLISH", "SET", "SETEX", "SETNX", "SUBSCRIBE", "WAIT",
}

var redisImage = &store.Image{Product: "redis", Public: "redis:7", Command: "redis-server", Data: "/data"}

var redisServer = []store.Program{{Name: "redis-server", Install: "sudo apt-get install -y redis-server", Version: []string{"--version"}}}

func init() {
	store.Register(store.Store{
		ID: ID, Place: 1, Node: "redis", Title: "Redis",
		Programs: redisServer, Image: redisImage,
		About: "One primary and its replicas, or a Redis Cluster.", Topology: store.Replicated, Requests: requests, Expires: true, AtOnce: true, Scripts: true,
	})
	store.Register(store.Store{
		ID: NodesID, Place: 2, Section: "redlock", Node: "redis", Title: "Redis",
		Programs: redisServer, Image: redisImage,
		About: "Independent primaries.", Topology: store.Independent, Requests: requests, Expires: true, AtOnce: true, Scripts: true,
	})
}
