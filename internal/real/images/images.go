// Package images names the container images of the stores' servers. It imports no client library,
// so that the plain program can list what the live one would start.
//
// The image of a server is the first of these: the user's choice (--image redis=NAME), the
// environment's (LOCKSTEP_IMAGE_REDIS=NAME), the local image that scripts/local-images has built,
// if the engine has it, and the image of the public registry.
package images

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"lockstep/internal/store"
)

// Product is a kind of server, by the name of its image: "mariadb".
type Product = string

// Redis is the product of all its stores.
const Redis Product = "redis"

// Image is the image of a product.
type Image struct{ *store.Image }

// All returns the images of all stores, each once, in the order of the stores.
func All() (all []Image) {
	for _, s := range store.All() {
		if s.Image != nil && !slices.Contains(all, Image{s.Image}) {
			all = append(all, Image{s.Image})
		}
	}
	return all
}

// For is the product of a store's servers; "" if they have no image.
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

// Local is the name of the image that scripts/local-images builds.
func (i Image) Local() string { return "lockstep/" + i.Product + ":local" }

// Variable is the environment variable that chooses an image.
func (i Image) Variable() string { return "LOCKSTEP_IMAGE_" + strings.ToUpper(i.Product) }

// Chosen returns the image to start, given the user's choices by product. has reports whether
// the engine has the local image.
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

// ParseChoice parses the user's choices, product=image each.
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
