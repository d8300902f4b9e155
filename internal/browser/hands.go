package browser

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
)

// Point is a place in the window, in CSS pixels.
type Point struct{ X, Y float64 }

// Middle is the middle of the first element that a selector matches, scrolled into view.
func (p *Page) Middle(selector string) Point {
	p.t.Helper()
	at := Eval[[]float64](p, fmt.Sprintf(`(function (e) {
		if (!e) return [];
		var r = e.getBoundingClientRect();
		if (r.top < 0 || r.bottom > innerHeight) { e.scrollIntoView({ block: "center", behavior: "instant" }); r = e.getBoundingClientRect(); }
		return [r.left + r.width / 2, r.top + r.height / 2];
	})(document.querySelector(%q))`, selector))
	if len(at) != 2 {
		p.t.Fatalf("browser: there is no %s", selector)
	}
	return Point{at[0], at[1]}
}

// dragStops is the number of mouse moves of a drag.
const dragStops = 8

// Drag presses the mouse at a place, moves it to another and releases it there.
func (p *Page) Drag(from, to Point) {
	p.t.Helper()
	p.hold(from, between(from, to, dragStops), 0)()
}

// Hand is Drag at the speed of a hand, with 60 moves a second.
func (p *Page) Hand(from, to Point, moves int) {
	p.t.Helper()
	p.hold(from, between(from, to, moves), time.Second/60)()
}

// Hold is Drag without the release, which it returns.
func (p *Page) Hold(from, to Point) (release func()) {
	p.t.Helper()
	return p.hold(from, between(from, to, dragStops), 0)
}

func (p *Page) hold(from Point, stops []Point, pause time.Duration) (release func()) {
	p.t.Helper()
	mouse := func(kind input.DispatchMouseEventType, at Point, buttons int64) {
		p.t.Helper()
		call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1})
	}
	mouse(input.DispatchMouseEventTypeMousePressed, from, 1)
	for _, at := range stops {
		mouse(input.DispatchMouseEventTypeMouseMoved, at, 1)
		time.Sleep(pause)
	}
	return func() {
		p.t.Helper()
		mouse(input.DispatchMouseEventTypeMouseReleased, stops[len(stops)-1], 0)
	}
}

// Click clicks the first element that a selector matches.
func (p *Page) Click(selector string) {
	p.t.Helper()
	at := p.Middle(selector)
	p.Drag(at, at)
}

// Swipe is Drag with a finger.
func (p *Page) Swipe(from, to Point) {
	p.t.Helper()
	call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
		p.t.Helper()
		call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, at...)})
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: from.X, Y: from.Y})
	for _, at := range between(from, to, dragStops) {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: at.X, Y: at.Y})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
}

// between returns the places on the way, including the last one.
func between(from, to Point, stops int) (all []Point) {
	for n := range stops {
		share := float64(n+1) / float64(stops)
		all = append(all, Point{from.X + (to.X-from.X)*share, from.Y + (to.Y-from.Y)*share})
	}
	return all
}
