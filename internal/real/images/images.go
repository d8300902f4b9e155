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
	"slices"
	"strings"

	"lockstep/internal/store"
)

// Product is a kind of server, as its image is called: "mariadb".
type Product = string

// Redis is the product of all its stores.
const Redis Product = "redis"

// Image is the image of a product.
type Image struct{ *store.Image }

// All returns the images of all stores, each once, in the order of those.
func All() (all []Image) {
	for _, s := range store.All() {
		if s.Image != nil && !slices.Contains(all, Image{s.Image}) {
			all = append(all, Image{s.Image})
		}
	}
	return all
}

// For is the product that the servers of a store are; "" where there is no image of them.
func For(id store.ID) Product {
	if image := store.Of(id).Image; image != nil {
		return image.Product
	}
	return ""
}

// Of returns the image of a product; every product has one.
func Of(p Product) Image {
	for _, i := range All() {
		if i.Product == p {
			return i
		}
	}
	panic(fmt.Sprintf("images: no image of %q", p))
}

// Local is the name that scripts/local-images gives to what it builds.
func (i Image) Local() string { return "lockstep/" + i.Product + ":local" }

// Variable is the environment variable that names another image.
func (i Image) Variable() string { return "LOCKSTEP_IMAGE_" + strings.ToUpper(i.Product) }

// Chosen returns the image to start, given what the user has chosen by product.
// has reports whether the engine has an image; it is asked about the local one.
func (i Image) Chosen(chosen map[Product]string, has func(name string) bool) string {
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
		if !ok || name == "" || !slices.Contains(names(), product) {
			return nil, fmt.Errorf("--image %q is not PRODUCT=NAME, as in redis=redis:7; the products are %s", c, strings.Join(names(), ", "))
		}
		out[product] = name
	}
	return out, nil
}

func names() (out []string) {
	for _, i := range All() {
		out = append(out, i.Product)
	}
	return out
}
