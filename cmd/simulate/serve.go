package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/report/page"
	"lockstep/internal/runstore"
	"lockstep/internal/serve"
)

// defaultPort is fixed, so that bookmarks work.
const defaultPort = 8177

// farewell bounds the time for pending answers after Ctrl-C.
const farewell = 500 * time.Millisecond

func serveCommand(g *globals) *cobra.Command {
	port, site := defaultPort, ""
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the runs of the store in a browser",
		Long: `Show the runs of the store in a browser: an index with filters, made for each request, the report of each run, and all files of a run in one archive.

It listens on 127.0.0.1, for this machine only, and serves nothing but the files of the
store: no link leads out of it. /latest is the report of the newest run.
Ctrl-C ends it, with exit code 0.

It includes the playground, where you drag a pause and watch two clients get in, once make
site has written the folder site: here, next to the program, or where --site says.

` + exitHint,
		Example: `  simulate serve                               # on port 8177
  simulate serve --port 9000                   # on another
  simulate serve --out other/reports --port 0  # another store`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveStore(cmd.Context(), g, port, site)
		},
	}
	cmd.Flags().IntVar(&port, "port", defaultPort, "the port on 127.0.0.1; 0 for any that is free")
	cmd.Flags().StringVar(&site, "site", "", "the folder of the site with the playground, as make site writes it")
	return speaks(cmd, g)
}

func serveStore(ctx context.Context, g *globals, port int, siteDir string) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("--port %d: a port is a number from 0 to 65535", port)
	}
	store, err := openStore(g.out)
	if err != nil {
		return err
	}
	defer store.Close()
	site, err := openSite(siteDir)
	if err != nil {
		return err
	}
	besides := []string{}
	if site != nil {
		defer site.Close()
		besides = append(besides, strings.TrimPrefix(playgroundPath, "/"))
	}
	if err := writeIndex(g.out, g.language); err != nil {
		warn("%v", err) // a read-only store can be served
	}
	listener, err := listen(port)
	if err != nil {
		return err
	}
	address := "http://" + listener.Addr().String() + "/"
	if err := announce(g, address, site != nil); err != nil {
		_ = listener.Close()
		return environment(err)
	}
	handler := serve.New(store, page.Policy(), func() ([]byte, error) {
		page, err := runstore.Index(store.FS(), besides, g.language)
		return page, bug(err)
	})
	return serveUntil(ctx, listener, serve.Site(site, page.SitePolicy(), handler))
}

func openStore(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no run store %s: play something first, such as `simulate run pause-past-lease`, or name another with --out", dir)
	case err != nil:
		return nil, environment(err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: name the directory of a run store with --out", dir)
	}
	store, err := os.OpenRoot(dir)
	if err != nil {
		return nil, environment(err)
	}
	return store, nil
}

// playgroundPath is the path of the playground on the server.
const playgroundPath = serve.SitePrefix + "playground/index.html"

// openSite opens the folder of the site: the named one, or the folder site here or next to the
// program. It returns nil if there is none, but a named one must exist.
func openSite(named string) (*os.Root, error) {
	dirs := []string{named}
	if named == "" {
		dirs = []string{"site"}
		if program, err := os.Executable(); err == nil {
			dirs = append(dirs, filepath.Join(filepath.Dir(program), "site"))
		}
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, serve.SiteMark)); err == nil {
			return os.OpenRoot(dir)
		}
	}
	if named != "" {
		return nil, fmt.Errorf("--site %s: make site has written no site there: run make site SITE=%s", named, named)
	}
	return nil, nil
}

func announce(g *globals, address string, site bool) error {
	object := map[string]any{"address": address, "store": g.out}
	lines := []string{"serving  " + terminalText(g.out), "at       " + address, "latest   " + address + "latest"}
	if site {
		playground := strings.TrimSuffix(address, "/") + playgroundPath
		object["playground"] = playground
		lines = append(lines, "play     "+playground)
	}
	return g.reply(object, append(lines, "", "Ctrl-C ends it.")...)
}

func listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, environment(fmt.Errorf("port %d of 127.0.0.1 is taken, perhaps by another `simulate serve`: choose one with --port, or any free one with --port 0", port))
	case errors.Is(err, os.ErrPermission):
		return nil, environment(fmt.Errorf("port %d needs more rights than you have: choose one from 1024 on with --port", port))
	case err != nil:
		return nil, environment(err)
	}
	return listener, nil
}

func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return environment(fmt.Errorf("the server has stopped: %w", err))
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		_ = server.Close() // cuts off slow clients
	}
	return errStopped
}
