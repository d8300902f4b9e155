// Package browser opens pages in a real browser, for tests: a page may have the right bytes and
// still show nothing, or need a mouse.
//
//	p := browser.Open(t, page, browser.Options{})
//	p.Press("g")
//	if got := p.Text("#now"); !strings.Contains(got, "two holders inside") { ... }
//
// Where there is no browser the test is skipped and says so; with
// LOCKSTEP_REQUIRE_BROWSER=1 it fails. Nothing but tests may import this package.
package browser

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"lockstep/internal/real/realtest"
)

// Options say how a page is opened.
type Options struct {
	NoScript bool // the page's own scripts do not run
	Width    int  // of the window, in pixels; 0: 1400
	Height   int  // 0: 1000
	Hash     string
	Dark     bool // the reader prefers dark pages
	Print    bool // as on paper
}

// Page is a page that is open in a browser.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string
	requests []string
}

// patience bounds each wait for the browser, which may start slowly on a busy machine.
const patience = 2 * time.Minute

// find returns the path of a browser, or "".
func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Need returns the path of a browser. Without one the test is skipped, or fails if
// LOCKSTEP_REQUIRE_BROWSER is 1.
func Need(t testing.TB) string {
	t.Helper()
	path := find()
	switch {
	case path != "":
	case os.Getenv("LOCKSTEP_REQUIRE_BROWSER") == "1":
		t.Fatal("no browser: install chromium (Debian: apt-get install chromium)")
	default:
		t.Skip("no browser: install chromium to run this test (Debian: apt-get install chromium)")
	}
	return path
}

// launch starts the browser that has a tab for each page of a test process, and dies with it.
var launch = sync.OnceValues(func() (ctx context.Context, err error) {
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find()), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	if realtest.Tiers(1, 2) == 1 { // the optimizing compiler of WebAssembly takes a fifth of the time
		flags = append(flags, chromedp.Flag("js-flags", "--liftoff-only"))
	}
	ctx, quit = chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, _ = chromedp.NewContext(ctx)
	return ctx, chromedp.Do(ctx) // starts it
})

var quit = func() {}

// Tests runs the tests of a package; then the browser ends, and its files are removed. For
// TestMain.
type Tests struct{ *testing.M }

// Run returns the exit code.
func (m Tests) Run() int {
	defer func() { quit() }()
	return m.M.Run()
}

// Open writes a page to a file and opens it. It skips the test where there is no
// browser.
func Open(t testing.TB, page []byte, o Options) *Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	address := "file://" + file
	return visit(t, address, func(asked string) bool { return strings.SplitN(asked, "#", 2)[0] == address }, o)
}

// Visit opens a page of a server, which may ask that server for more. It skips the
// test where there is no browser.
func Visit(t testing.TB, address string, o Options) *Page {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	origin := u.Scheme + "://" + u.Host + "/"
	return visit(t, address, func(asked string) bool { return strings.HasPrefix(asked, origin) }, o)
}

// visit opens a page; own reports which requests Requests leaves out.
func visit(t testing.TB, address string, own func(asked string) bool, o Options) *Page {
	t.Helper()
	p := &Page{t: t, ctx: tab(t)}
	if err := chromedp.Listen(p.ctx, func(event any) { p.observe(event, own) }); err != nil {
		t.Fatalf("browser: %v", err)
	}
	width, height := int64(cmp.Or(o.Width, 1400)), int64(cmp.Or(o.Height, 1000))
	call(p, network.Enable, network.EnableParams{})
	call(p, cdplog.Enable, cdp.Empty{})
	call(p, accessibility.Enable, cdp.Empty{})
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: o.NoScript})
	call(p, emulation.SetEmulatedMedia, mediaOf(o))
	p.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(address+o.Hash))
	return p
}

// tab opens a tab of the shared browser for the time of a test.
func tab(t testing.TB) context.Context {
	t.Helper()
	path := Need(t)
	shared, err := launch()
	if err != nil {
		t.Fatalf("browser: %s does not start: %v", path, err)
	}
	ctx, cancel := chromedp.NewContext(shared)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	return ctx
}

func mediaOf(o Options) emulation.SetEmulatedMediaParams {
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	if o.Dark {
		scheme.Value = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}}
	if o.Print {
		media.Media = "print"
	}
	return media
}

func (p *Page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

func run[T any](p *Page, a chromedp.Action[T]) T {
	p.t.Helper()
	out, err := chromedp.Run(p.ctx, a)
	if err != nil {
		p.t.Fatalf("browser: %v", err)
	}
	return out
}

// call runs a command of the browser's protocol.
func call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	out, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatalf("browser: %s: %v", command.Method, err)
	}
	return out
}

func (p *Page) observe(event any, own func(asked string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if asked := e.Request.URL; !own(asked) && !strings.HasPrefix(asked, "data:") {
			p.requests = append(p.requests, asked)
		}
	case *cdpruntime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *cdpruntime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprintf("console.%s", e.Type))
	case *cdplog.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	}
}

// Problems returns the complaints of the console so far.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Requests returns the page's requests so far, other than for itself or to its own server.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Press sends keys to the element with the focus. Package kb of chromedp has the characters of
// Tab, the arrows and so on.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// Eval evaluates an expression in the page, even with NoScript.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](expression))
}

// Await waits until an expression is true, for instance after a click on a link.
func (p *Page) Await(expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !Eval[bool](p, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("browser: never true: %s", expression)
		}
	}
}

// Text returns the visible text of the first element that a selector matches.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, fmt.Sprintf(`(document.querySelector(%q) || {innerText: ""}).innerText`, selector))
}

// Count returns how many elements a selector matches.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	return Eval[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// Focus returns the label, or else the text, of the element with the focus.
func (p *Page) Focus() string {
	p.t.Helper()
	return Eval[string](p, `(function (e) { return e === document.body ? "" : e.getAttribute("aria-label") || (e.labels && e.labels[0] || e).textContent.trim().slice(0, 80); })(document.activeElement)`)
}

// Resize changes the size of the window, in pixels.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
}

// PDF prints the page on A4, with margins of a centimetre.
func (p *Page) PDF() []byte {
	p.t.Helper()
	margin := 0.4
	return call(p, cdppage.PrintToPDF, cdppage.PrintToPDFParams{
		PaperWidth: 8.27, PaperHeight: 11.69, MarginTop: &margin, MarginBottom: &margin, MarginLeft: &margin, MarginRight: &margin,
	}).Data
}

// Screenshot returns the whole page as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	return run(p, chromedp.FullScreenshot(100))
}

// Node is a node of the accessibility tree.
type Node struct {
	Role, Name string
	Focusable  bool
}

// Nodes returns the accessibility tree as the browser gives it to a screen reader.
func (p *Page) Nodes() []Node {
	p.t.Helper()
	tree := call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
	var out []Node
	for _, n := range tree {
		if n.Ignored {
			continue
		}
		node := Node{Role: text(n.Role), Name: text(n.Name)}
		for _, property := range n.Properties {
			if property.Name == accessibility.PropertyNameFocusable {
				node.Focusable = string(property.Value.Value) == "true"
			}
		}
		out = append(out, node)
	}
	return out
}

// text reads the text of a value of the accessibility tree.
func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}
