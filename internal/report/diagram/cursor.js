// One cursor in time for everything that shows a run: strip, diagram and rows. It needs these
// elements, made by the program or by another script:
//
//   .strips[data-from][data-to]             the picture of the whole run, in microseconds; .track is
//                                           its axis, and --now, --zoom and --shift are set here
//   svg.spacetime[data-rows][data-steps]    "y t y t ...": heights of rows, with their times in
//                                           microseconds; "y y ...": heights of the steps
//   .strips [data-ends]                     "t u t u ...": from t on, a lease is promised until u, or -1: none
//   .steps > li                             a row for each step
//   .pane                                   what scrolls, around a diagram and around the rows
//   .transport                              buttons [data-go], input.scrub, select.speed, .clock;
//                                           the button for play has [data-other]: its label during play
//
//   var cursor = timeCursor(element, {
//     changed: function (cursor) {},        // the current step changed: cursor.at, from 0
//     before: function (cursor, n) {},      // it is about to become step n
//     moved: function (cursor) {},          // the time changed: cursor.time, in microseconds
//     desk: transport                       // outside the element, if several cursors share it;
//   });                                     // the page then passes its slider on (toShare). null
//                                           // without a diagram
//   cursor.go(3);                           // to step 4
//   cursor.follow(time);                    // to the time of another cursor
//   timeCursor.ends(strips, time);          // the leases of a picture without a cursor
//   cursor.end();                           // the diagram is about to be redrawn
var timeCursor = (function () {
  "use strict";
  var NS = "http://www.w3.org/2000/svg", all = [].slice;
  var pace = 45; // pixels of the diagram in a second: a step each second or two
  var calm = matchMedia("(prefers-reduced-motion: reduce)");

  function make(tag, values, into) {
    var e = document.createElementNS(NS, tag);
    Object.keys(values).forEach(function (k) { e.setAttribute(k, values[k]); });
    if (into) into.appendChild(e);
    return e;
  }
  function numbers(s) { return s ? s.trim().split(/\s+/).map(Number) : []; }
  function clamp(x, least, most) { return Math.max(least, Math.min(most, x)); }

  // along maps x from rising numbers to others, by interpolation.
  function along(x, xs, ys) {
    var low = 0, high = xs.length - 1;
    if (high < 0 || x <= xs[0]) return ys[0] || 0;
    if (x >= xs[high]) return ys[high];
    while (high - low > 1) {
      var middle = (low + high) >> 1;
      if (xs[middle] <= x) low = middle; else high = middle;
    }
    return xs[high] === xs[low] ? ys[high] : ys[low] + (ys[high] - ys[low]) * (x - xs[low]) / (xs[high] - xs[low]);
  }

  // ends moves the ends of leases to those promised at a time. The current end is drawn unless
  // another line is there.
  function ends(strips, t) {
    var begin = +strips.dataset.from, length = +strips.dataset.to - begin || 1;
    all.call(strips.querySelectorAll(".rows-of")).forEach(function (rows) {
      var lines = [];
      all.call(rows.querySelectorAll("[data-ends]")).forEach(function (e) {
        var n = numbers(e.dataset.ends), until = -1, line = e.classList.contains("lease"), present = e.classList.contains("now");
        for (var i = 0; i < n.length && n[i] <= t; i += 2) until = n[i + 1];
        var x = (until - begin) / length, twice = present && lines.some(function (o) { return Math.abs(o - x) < 0.01; });
        var none = until < 0 || line && x > 1 || twice;
        e.classList.toggle("none", none);
        e.classList.toggle("near", x < (present ? 0.8 : 0.2)); // the side of its label
        e.style.setProperty("--ends", clamp(x, 0, 1));
        if (line && !none) lines.push(x);
      });
    });
  }

  // picture reads a diagram, and adds its moving parts.
  function picture(svg) {
    var n = numbers(svg.dataset.rows), p = { svg: svg, ys: [], ts: [], steps: numbers(svg.dataset.steps), pane: svg.closest(".pane") };
    for (var i = 0; i + 1 < n.length; i += 2) { p.ys.push(n[i]); p.ts.push(n[i + 1]); }
    var box = svg.viewBox.baseVal;
    p.height = box.height;
    // The line begins right of the numbers, so that they stay readable.
    var number = svg.querySelector("a circle");
    p.left = number ? number.cx.baseVal.value + number.r.baseVal.value + 3 : 0;
    p.later = make("rect", { "class": "later", x: 0, width: box.width, y: 0, height: 0 }, svg);
    p.line = make("path", { "class": "cursor", d: "" }, svg);
    var heads = svg.querySelector(".heads");
    if (p.pane && heads) { // the names stay in sight while the diagram scrolls
      var bar = document.createElement("div");
      bar.className = "heads-bar";
      bar.setAttribute("aria-hidden", "true");
      make("svg", { "class": "spacetime", height: 38 }, bar);
      p.pane.insertBefore(bar, svg);
      p.heads = bar;
    }
    fitDiagram(svg); // which fills the bar, too
    return p;
  }

  function cursor(player, on) {
    var pictures = all.call(player.querySelectorAll("svg.spacetime[data-rows]")).map(picture);
    var main = pictures[0], rows = all.call(player.querySelectorAll(".steps > li"));
    var strip = player.querySelector(".strips"), transport = on.desk || player.querySelector(".transport"), desk = transport || player;
    var begin = strip ? +strip.dataset.from : 0, length = strip ? +strip.dataset.to - begin || 1 : 1;
    var scrub = desk.querySelector(".scrub"), speed = desk.querySelector(".speed"), clock = desk.querySelector(".clock");
    var button = desk.querySelector('[data-go="play"]'), called = button && button.getAttribute("aria-label"), gone = new AbortController();
    if (!main) return null;
    function listen(e, kind, to, passive) { e.addEventListener(kind, to, { signal: gone.signal, passive: passive }); }
    var top = Math.min(main.ys[0], main.steps[0]) - 6, bottom = main.height - 8, zoom = 1, frame = 0;
    var self = { player: player, rows: rows, at: -1, on: false, y: top, limit: Infinity, heads: main.heads };

    function stepAt(y) {
      var n = -1;
      while (n + 1 < main.steps.length && main.steps[n + 1] <= y + 0.5) n++;
      return n;
    }
    function links(n) { return n < 0 ? [] : all.call(player.querySelectorAll('.spacetime a[href="#' + rows[n].id + '"]')); }

    // light highlights a step.
    function light(n, is) {
      if (n < 0 || !rows[n]) return;
      rows[n].classList.toggle("now", is);
      links(n).forEach(function (a) { a.classList.toggle("now", is); });
    }

    // within is the distance from the top of a pane's content to an element.
    function within(e, pane) { return e.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop; }

    // follow scrolls a pane so that a range of heights is in sight.
    function follow(pane, from, to) {
      if (!pane || pane.scrollHeight <= pane.clientHeight) return;
      var space = pane.clientHeight, least = pane.scrollTop + 46, most = pane.scrollTop + space * 0.78;
      if (from < least || to > most) pane.scrollTop = (from + to - space * 0.9) / 2;
    }

    // move sets the cursor to a height of the diagram. A cursor that follows another leaves the
    // desk to it.
    function move(y, follows) {
      y = clamp(y, top, bottom);
      var t = along(y, main.ys, main.ts), n = stepAt(y), was = self.at;
      self.y = y;
      self.time = t;
      self.on = true;
      player.classList.remove("resting");
      player.classList.add("moving");
      pictures.forEach(function (p) {
        var h = p === main ? y : along(t, p.ts, p.ys);
        p.line.setAttribute("d", "M" + p.left + " " + h + "H" + p.svg.viewBox.baseVal.width);
        p.later.setAttribute("y", h);
        p.later.setAttribute("height", Math.max(p.height - h, 0));
      });
      if (strip) {
        strip.style.setProperty("--now", clamp((t - begin) / length, 0, 1));
        ends(strip, t);
        if (zoom > 1) lens();
      }
      if (scrub && !follows) scrub.value = Math.round(1000 * (y - top) / (bottom - top));
      if (clock && !follows) clock.textContent = (t / 1e6).toFixed(3) + (clock.dataset.unit || " s");
      if (scrub && clock) scrub.setAttribute("aria-valuetext", clock.textContent);
      follow(main.pane, (y - 40) * main.svg.grown, (y + 60) * main.svg.grown);
      if (on.moved && !follows) on.moved(self);
      if (n === was) return;
      light(was, false);
      self.at = n;
      light(n, true);
      var row = rows[n], pane = row && row.closest(".pane");
      if (pane) follow(pane, within(row, pane), within(row, pane) + row.offsetHeight);
      if (on.changed && !follows) on.changed(self);
    }

    // label sets the label of the button for play.
    function label(plays) {
      player.classList.toggle("playing", plays);
      if (!button) return;
      button.textContent = plays ? "❚❚" : "▶";
      button.setAttribute("aria-label", plays ? button.dataset.other : called);
    }

    // see scrolls the whole player into the window, or at least the current row.
    function see() {
      var box = (transport || player).getBoundingClientRect(), last = player.querySelector(".told").getBoundingClientRect();
      var by = 0;
      if (last.bottom > innerHeight) by = Math.min(last.bottom - innerHeight + 8, box.top - 4);
      else if (box.top < 0) by = box.top - 4;
      if (by) scrollBy({ top: by, behavior: "instant" });
      var row = rows[self.at], at = row && row.getBoundingClientRect();
      if (at && (at.bottom > innerHeight || at.top < 0)) row.scrollIntoView({ block: "center", behavior: "instant" });
    }

    // lens shows the part of the strip around the cursor.
    function lens() {
      var centre = ((self.time || 0) - begin) / length;
      strip.classList.toggle("zoomed", zoom > 1);
      strip.style.setProperty("--zoom", zoom);
      strip.style.setProperty("--shift", clamp(0.5 - zoom * centre, 1 - zoom, 0));
    }

    self.go = function (n) {
      if (n < 0 || n >= rows.length) return;
      self.pause();
      if (on.before) on.before(self, n);
      move(main.steps[n]);
      see();
    };
    self.next = function () { self.go(self.on ? self.at + 1 : 0); };
    self.back = function () { self.go(Math.max(self.at - 1, 0)); };
    self.toTime = function (t) { move(along(t, main.ts, main.ys)); };
    self.toShare = function (share) { move(top + (bottom - top) * share); };
    self.follow = function (t) { move(along(t, main.ts, main.ys), true); };
    self.zoom = function (by) {
      if (!strip) return;
      zoom = clamp(zoom * by, 1, 256);
      lens();
    };
    self.play = function () {
      if (frame) return self.pause();
      if (!self.on || self.y >= bottom) move(top);
      see();
      label(true);
      var before = 0, y = self.y;
      (function tick(now) {
        if (now && before) y += (now - before) / 1000 * pace * (speed ? +speed.value : 1);
        before = now || before;
        if (on.before && stepAt(y) !== self.at) on.before(self, stepAt(y));
        if (!calm.matches) move(y);
        else if (stepAt(y) !== self.at) move(main.steps[stepAt(y)]);
        if (y >= bottom) return self.pause();
        frame = requestAnimationFrame(tick);
      })(0);
    };
    self.pause = function () {
      if (frame) label(false);
      cancelAnimationFrame(frame);
      frame = 0;
    };
    self.playing = function () { return frame !== 0; };
    self.away = function () {
      self.pause();
      light(self.at, false);
      self.at = -1;
      self.on = false;
      player.classList.remove("moving");
    };
    // veil hides the steps after one, while the reader guesses; null shows all.
    self.veil = function (n) {
      var hides = n !== null;
      player.classList.toggle("veiled", hides);
      rows.forEach(function (row, i) { row.hidden = hides && i > n; });
      if (hides) move(main.steps[n] + 8); else if (self.on) move(self.y);
    };
    // worst is the first step that breaks something, nextBad the next one after the current step;
    // -1: none.
    function bad(row) { return row.classList.contains("bad"); }
    self.worst = function () { return rows.findIndex(bad); };
    self.nextBad = function () {
      var n = rows.findIndex(function (row, i) { return i > self.at && bad(row); });
      return n < 0 ? self.worst() : n;
    };
    // open scrolls to the first step that breaks something if the diagram is longer than its pane.
    self.open = function (n) {
      var pane = main.pane;
      var at = main.steps[n] * main.svg.grown;
      if (n < 0 || !pane || at < pane.clientHeight - 60) return;
      pane.scrollTop = at - pane.clientHeight * 0.7;
      var list = rows[n].closest(".pane");
      list.scrollTop = within(rows[n], list) - list.clientHeight * 0.5;
    };

    // rest sets the cursor to the step before one that breaks something, which decided it.
    self.rest = function (n) {
      if (n < 1) return self.open(n);
      move(main.steps[n - 1], true);
      player.classList.add("resting"); // nothing is dimmed until the reader moves it
      var list = rows[n].closest(".pane");
      if (main.pane) main.pane.scrollTop = main.steps[n - 1] * main.svg.grown - 90;
      list.scrollTop = within(rows[n - 1], list);
      if (scrub) scrub.value = Math.round(1000 * (self.y - top) / (bottom - top));
    };

    self.end = function () {
      self.away();
      gone.abort();
      pictures.forEach(function (p) { [p.later, p.line, p.heads].forEach(function (e) { if (e) e.remove(); }); });
    };

    if (transport) transport.hidden = false;
    if (scrub && !on.desk) listen(scrub, "input", function () {
      self.pause();
      if (on.before) on.before(self, stepAt(top + (bottom - top) * scrub.value / 1000));
      self.toShare(scrub.value / 1000);
    });
    if (strip) {
      var drag = function (e) {
        if (e.type === "pointerdown") strip.setPointerCapture(e.pointerId);
        else if (!e.buttons) return;
        var box = strip.querySelector(".track").getBoundingClientRect();
        self.pause();
        var t = begin + clamp((e.clientX - box.left) / box.width, 0, 1) * length;
        if (on.before) on.before(self, stepAt(along(t, main.ts, main.ys)));
        self.toTime(t);
      };
      listen(strip, "pointerdown", drag);
      listen(strip, "pointermove", drag);
      listen(strip, "wheel", function (e) { // as in trace viewers, and with two fingers
        if (!e.ctrlKey) return;
        e.preventDefault();
        self.zoom(e.deltaY < 0 ? 2 : 0.5);
      }, false);
    }
    listen(main.svg, "click", function (e) {
      if (e.target.closest("a")) return;
      var box = main.svg.getBoundingClientRect(), y = (e.clientY - box.top) * main.height / box.height;
      self.pause();
      if (on.before) on.before(self, stepAt(y));
      move(y);
    });
    return self;
  }
  cursor.ends = ends;
  return cursor;
})();
