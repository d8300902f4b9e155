// Package images names the container images of the servers that locks keep their
// entries in. It imports no client library, so that the plain program can tell
// what the live one would start.
//
// Which image a server is started from is decided by the first of these that says
// something: what the user gives (--image redis=NAME), the environment
// (LOCKSTEP_IMAGE_REDIS=NAME), the local image that scripts/local-images has built
// if the engine has it, and the image of the public registry.
package images

import (
	"fmt"
	"os"
	"strings"
)

// Product is a kind of server.
type Product string

// The products that there are images of.
const (
	Redis     Product = "redis"
	Etcd      Product = "etcd"
	ZooKeeper Product = "zookeeper"
	MariaDB   Product = "mariadb"
	Postgres  Product = "postgres"
)

// Image says what the image of a product is called and what it promises to those
// who start it. Local and public ones promise the same.
type Image struct {
	Product Product
	Public  string // the image of a registry
	Command string // the first word of its command; "" when the image has a command of its own
	Data    string // the directory of the server's files, kept in a volume
	Config  string // where it looks for files of configuration; "" for nowhere
	// Env is what lets it begin without a password: nobody but this machine reaches it.
	Env map[string]string
}

var all = []Image{
	{Product: Redis, Public: "redis:7", Command: "redis-server", Data: "/data"},
	{Product: Etcd, Public: "quay.io/coreos/etcd:v3.5.21", Command: "etcd", Data: "/etcd-data"},
	{Product: ZooKeeper, Public: "zookeeper:3.8", Data: "/data", Config: "/conf"},
	{
		Product: MariaDB, Public: "mariadb:10.11", Command: "mariadbd", Data: "/var/lib/mysql",
		Env: map[string]string{"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "1"},
	},
	{
		Product: Postgres, Public: "postgres:15", Command: "postgres", Data: "/var/lib/postgresql/data",
		Env: map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"},
	},
}

// All returns the images, in a fixed order.
func All() []Image { return append([]Image(nil), all...) }

// Of returns the image of a product; every product has one.
func Of(p Product) Image {
	for _, i := range all {
		if i.Product == p {
			return i
		}
	}
	panic(fmt.Sprintf("images: no image of %q", p))
}

// Local is the name that scripts/local-images gives to what it builds.
func (i *Image) Local() string { return "lockstep/" + string(i.Product) + ":local" }

// Variable is the environment variable that names another image.
func (i *Image) Variable() string { return "LOCKSTEP_IMAGE_" + strings.ToUpper(string(i.Product)) }

// Chosen returns the image to start, given what the user has chosen by product.
// has reports whether the engine has an image; it is asked about the local one.
func (i *Image) Chosen(chosen map[Product]string, has func(name string) bool) string {
	if name := chosen[i.Product]; name != "" {
		return name
	}
	if name := os.Getenv(i.Variable()); name != "" {
		return name
	}
	if name := i.Local(); has(name) {
		return name
	}
	return i.Public
}

// ParseChoice reads what the user chose as product=image, one for each argument.
func ParseChoice(choices []string) (map[Product]string, error) {
	out := map[Product]string{}
	for _, c := range choices {
		product, name, ok := strings.Cut(c, "=")
		if !ok || name == "" || !known(Product(product)) {
			return nil, fmt.Errorf("--image %q is not PRODUCT=NAME, as in redis=redis:7; the products are %s", c, strings.Join(names(), ", "))
		}
		out[Product(product)] = name
	}
	return out, nil
}

func known(p Product) bool {
	for _, i := range all {
		if i.Product == p {
			return true
		}
	}
	return false
}

func names() []string {
	var out []string
	for _, i := range all {
		out = append(out, string(i.Product))
	}
	return out
}
