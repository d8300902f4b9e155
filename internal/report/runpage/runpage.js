// The page is complete without this script. It adds the time cursor, guessing before the answer,
// filters for the tables of events, and buttons that copy.
(function () {
  "use strict";
  var root = document.documentElement, all = [].slice;
  var $ = function (q, from) { return all.call((from || document).querySelectorAll(q)); };
  var one = function (q, from) { return (from || document).querySelector(q); };
  var now = one("#now"), table = one("#standing tbody"), help = one("#help"), guess = one("#guess");
  var state = JSON.parse(one("#state").textContent || "[]") || [];
  var says = JSON.parse(one("#says").textContent); // the words of this script

  function text(tag, s, cls) {
    var e = document.createElement(tag);
    e.textContent = s;
    if (cls) e.className = cls;
    return e;
  }

  // Each lock has a cursor of its own; keys move the one that was moved last.
  var cursors = $(".lock .player").map(function (player) { return timeCursor(player, { changed: changed, before: before }); })
    .filter(Boolean);
  var current = cursors[0];
  function cursorOf(e) {
    return cursors.filter(function (c) { return c.player.contains(e); })[0];
  }

  // before is called when the cursor is about to reach a step: going on counts as a guess.
  function before(c, n) {
    if (guess && guess.checked && c === cursors[0] && n > unknownAfter()) reveal();
  }

  // changed shows the state after a step.
  function changed(c) {
    current = c;
    var row = c.rows[c.at];
    now.textContent = "";
    table.textContent = "";
    if (!row) return;
    var known = c.rows.filter(function (r) { return !r.hidden; }).length;
    now.appendChild(text("b", says.step.replace("{n}", c.at + 1).replace("{of}", known).replace("{at}", one(".t", row).textContent) + " "));
    now.appendChild(document.createTextNode(one("p", row).textContent + " "));
    var note = one(".note", row);
    if (note) now.appendChild(text("span", note.textContent, "note"));
    beliefTable(c);
    if (!c.playing() && !(guess && guess.checked)) history.replaceState(null, "", "#" + row.id);
  }

  // beliefTable shows the beliefs: in a table for screen readers, and below the names.
  function beliefTable(c) {
    var s = state[+c.player.closest(".lock").dataset.lock], values = s && s.steps && s.steps[c.at];
    if (!values) return;
    var names = s.clients || [], heads = {};
    var head = document.createElement("tr"), body = document.createElement("tr");
    if (c.heads) $(".node + .role", c.heads).forEach(function (e) { heads["$" + e.previousElementSibling.textContent] = e; });
    values.forEach(function (v, i) {
      var name = i < names.length ? names[i] + " " + says.believes : i === names.length ? says.store : says.token;
      if (i === names.length) v = v.replace(/^[^:\uff1a]*[:\uff1a] ?/, "") || says.absent;
      var th = text("th", name), mine = v.indexOf(says.mine) === 0;
      th.scope = "col";
      head.appendChild(th);
      body.appendChild(text("td", v, mine ? "mine" : ""));
      var below = i < names.length && heads["$" + names[i]];
      if (below) {
        below.textContent = v;
        below.classList.toggle("mine", mine);
      }
    });
    table.appendChild(head);
    table.appendChild(body);
  }

  // A reader who guesses first sees the story up to the step before something breaks.
  function unknownAfter() {
    var n = cursors[0].worst();
    return n > 0 ? n - 1 : Math.min(1, cursors[0].rows.length - 1);
  }
  function guessing() {
    if (!cursors.length) return;
    cursors[0].veil(guess.checked ? unknownAfter() : null);
  }
  function reveal() {
    guess.checked = false;
    guessing();
  }

  function violation() {
    if (current.nextBad() >= 0) return current.go(current.nextBad());
    // This lock broke nothing more: go to the next one that did.
    var next = cursors.slice(cursors.indexOf(current) + 1).concat(cursors).filter(function (c) { return c.worst() >= 0; })[0];
    if (next) goTo(next, next.worst());
  }
  function goTo(c, n) {
    unfold(c.player);
    c.go(n);
    current = c;
  }
  // unfold opens the folds around an element.
  function unfold(e) {
    for (var d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  }

  var act = {
    play: function () { current.play(); }, next: function () { current.next(); focus(); }, back: function () { current.back(); focus(); },
    first: function () { current.go(0); focus(); }, last: function () { current.go(current.rows.length - 1); focus(); },
    violation: function () { violation(); focus(); }, closer: function () { current.zoom(2); }, farther: function () { current.zoom(0.5); },
    reveal: function () { reveal(); if (cursors[0]) cursors[0].play(); },
    help: function () { if (!help.open) help.showModal(); }, close: function () { cursors.forEach(function (c) { c.away(); }); }
  };
  // focus moves to the number of the step, unless the reader uses the buttons.
  function focus() {
    var row = current.rows[current.at], has = document.activeElement;
    if (row && !(has && has.closest(".transport"))) one("a.n", row).focus({ preventScroll: true });
  }
  var keys = {
    j: "next", ArrowRight: "next", k: "back", ArrowLeft: "back", Home: "first", End: "last", " ": "play",
    g: "violation", "+": "closer", "=": "closer", "-": "farther", "?": "help", Escape: "close"
  };
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || help.open || !current) return;
    var name = keys[e.key], tag = e.target.tagName;
    if (!name || /^(SELECT|TEXTAREA)$/.test(tag) || tag === "INPUT" && (e.target.type !== "checkbox" || e.key === " ")) return;
    // The space bar presses the focused element. Arrows, Home and End scroll a focused region, and,
    // until the cursor is on, the page.
    if (e.key === " " && /^(BUTTON|SUMMARY|A)$/.test(tag) && !e.target.closest(".steps")) return;
    if (e.target.getAttribute && e.target.getAttribute("role") === "region" && e.key.length > 1) return;
    if ((e.key === "Home" || e.key === "End") && !current.on) return;
    e.preventDefault();
    act[name]();
  });
  document.addEventListener("click", function (e) {
    if (!e.target.closest) return;
    var button = e.target.closest("[data-go]");
    if (button) {
      current = cursorOf(button) || current;
      return act[button.dataset.go]();
    }
    var li = e.target.closest(".steps li");
    if (li && !e.target.closest(".term") && !String(getSelection())) {
      var c = cursorOf(li);
      if (c) goTo(c, c.rows.indexOf(li));
    }
  });
  function fromHash() {
    var id = location.hash.slice(1), target = id && document.getElementById(id);
    if (!target) return;
    unfold(target);
    cursors.forEach(function (c) {
      var n = c.rows.indexOf(target);
      if (n < 0) return;
      if (guess && guess.checked) reveal();
      goTo(c, n);
    });
  }
  addEventListener("hashchange", fromHash);

  // Commands get a button that copies them.
  $(".command").forEach(function (box) {
    var b = text("button", says.copy);
    b.type = "button";
    b.setAttribute("aria-label", says.copycommand + " " + box.textContent.trim());
    b.addEventListener("click", function () {
      var done = function () { b.textContent = says.copied; };
      var code = box.querySelector("code");
      if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent).then(done, select);
      select();
      function select() {
        getSelection().selectAllChildren(code);
        if (document.execCommand("copy")) done();
      }
    });
    box.appendChild(b);
  });

  // Tables of events can be filtered by where and what.
  $(".events").forEach(function (d) {
    var trs = $("tbody tr", d), bar = text("div", "", "filters"), chosen = {};
    [[says.where, 1], [says.what, 2]].forEach(function (f) {
      var label = text("label", f[0] + " "), menu = document.createElement("select"), seen = {};
      menu.appendChild(text("option", says.all));
      trs.forEach(function (tr) {
        var v = tr.cells[f[1]].textContent;
        if (v && !seen["$" + v]) menu.appendChild(text("option", v));
        seen["$" + v] = true;
      });
      menu.addEventListener("change", function () {
        chosen[f[1]] = menu.selectedIndex ? menu.value : null;
        trs.forEach(function (tr) {
          tr.hidden = [1, 2].some(function (c) { return chosen[c] != null && tr.cells[c].textContent !== chosen[c]; });
        });
      });
      label.appendChild(menu);
      bar.appendChild(label);
    });
    d.insertBefore(bar, d.children[1]);
  });

  if (cursors.length) {
    root.classList.add("js");
    if (guess) {
      guess.addEventListener("change", guessing);
      guess.checked = location.hash === "#guess"; // in the link for learners
      if (guess.checked) guessing();
    }
    if (!(guess && guess.checked)) cursors[0].rest(cursors[0].worst());
    fromHash();
  }
})();
