// Everything is on the page without this script. It adds stepping by keys, the table
// of who believes what, filters for the tables of events, and buttons that copy.
(function () {
  "use strict";
  var root = document.documentElement, all = [].slice;
  var $ = function (q, from) { return all.call((from || document).querySelectorAll(q)); };
  var one = function (q) { return document.querySelector(q); };
  var steps = $(".steps li"), at = -1;
  var stepper = one("#stepper"), now = one("#now"), rows = one("#standing tbody"), help = one("#help");
  var state = JSON.parse(one("#state").textContent || "[]") || [];
  var says = JSON.parse(one("#says").textContent); // the words of this script

  // Where each step is: its lock and its place in the lock's story.
  var place = steps.map(function (li) {
    var section = li.closest("section");
    return { lock: +section.dataset.lock, n: $(".steps li", section).indexOf(li), section: section };
  });

  function text(tag, s, cls) {
    var e = document.createElement(tag);
    e.textContent = s;
    if (cls) e.className = cls;
    return e;
  }

  // showStanding fills in the table of beliefs of the present step.
  function showStanding() {
    var p = place[at], s = state[p.lock];
    rows.textContent = "";
    if (!s || !s.steps || !s.steps[p.n]) return;
    var values = s.steps[p.n], names = s.clients || [];
    var head = document.createElement("tr"), body = document.createElement("tr");
    values.forEach(function (v, i) {
      var name = i < names.length ? names[i] + " " + says.believes : i === names.length ? says.store : says.token;
      if (i === names.length) v = v.replace(/^[^:\uff1a]*[:\uff1a] ?/, "") || says.absent;
      var th = text("th", name);
      th.scope = "col";
      head.appendChild(th);
      body.appendChild(text("td", v, v.indexOf(says.mine) === 0 ? "mine" : ""));
    });
    rows.appendChild(head);
    rows.appendChild(body);
  }

  function links(li) { return $('.spacetime a[href="#' + li.id + '"]'); }

  // show makes a step the present one, without moving the focus.
  function show(to) {
    if (at >= 0) {
      steps[at].classList.remove("now");
      links(steps[at]).forEach(function (a) { a.classList.remove("now"); });
    }
    at = to;
    var li = steps[at];
    li.classList.add("now");
    links(li).forEach(function (a) { a.classList.add("now"); });
    stepper.hidden = false;
    document.body.classList.add("stepping");
    now.textContent = "";
    var count = $(".steps li", place[at].section).length;
    now.appendChild(text("b", says.step.replace("{n}", place[at].n + 1).replace("{of}", count).replace("{at}", li.querySelector(".t").textContent) + " "));
    now.appendChild(document.createTextNode(li.querySelector("p").textContent + " "));
    var note = li.querySelector(".note");
    if (note) now.appendChild(text("span", note.textContent, "note"));
    showStanding();
    history.replaceState(null, "", "#" + li.id);
  }

  // go moves to a step, with the focus on its number.
  function go(to) {
    if (to < 0 || to >= steps.length) return;
    show(to);
    steps[at].querySelector("a.n").focus({ preventScroll: true });
    steps[at].scrollIntoView({ block: "nearest" });
    var mark = links(steps[at])[0];
    if (mark && innerWidth > 1120) mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Steps belong to a lock: Home and End stay within it.
  function edge(last) {
    var mine = steps.filter(function (li, i) { return at < 0 ? place[i].lock === place[0].lock : place[i].lock === place[at].lock; });
    return steps.indexOf(last ? mine[mine.length - 1] : mine[0]);
  }
  function violation() {
    for (var i = 1; i <= steps.length; i++) {
      var n = (at + i + steps.length) % steps.length;
      if (steps[n].classList.contains("bad")) return n;
    }
    return at;
  }
  function trueTime() {
    var on = root.classList.toggle("truetime-on");
    $(".truetime").forEach(function (d) { d.open = on; });
    $(".lock").forEach(function (s) { // where there is none, the usual one stays
      if (!s.querySelector(".truetime")) $(".warped", s).forEach(function (w) { w.style.display = "block"; });
    });
    one('[data-go="time"]').setAttribute("aria-pressed", on);
  }
  function close() {
    stepper.hidden = true;
    document.body.classList.remove("stepping");
  }

  var act = {
    next: function () { go(at + 1); }, back: function () { go(at - 1); },
    first: function () { go(edge(false)); }, last: function () { go(edge(true)); },
    violation: function () { go(violation()); }, time: trueTime,
    help: function () { if (!help.open) help.showModal(); }, close: close
  };
  var keys = {
    j: "next", ArrowRight: "next", k: "back", ArrowLeft: "back", Home: "first", End: "last",
    g: "violation", t: "time", "?": "help", Escape: "close"
  };
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || help.open || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    var name = keys[e.key];
    // Arrows, Home and End scroll a region that has the focus, and the page before anybody steps.
    if (!name || (e.target.getAttribute && e.target.getAttribute("role") === "region" && e.key.length > 1)) return;
    if ((e.key === "Home" || e.key === "End") && at < 0) return;
    e.preventDefault();
    act[name]();
  });
  document.addEventListener("click", function (e) {
    if (!e.target.closest) return;
    var button = e.target.closest("[data-go]");
    if (button) return act[button.dataset.go]();
    var li = e.target.closest(".steps li");
    if (li && !e.target.closest("a.term") && !String(getSelection())) show(steps.indexOf(li));
  });
  function fromHash() {
    var n = steps.findIndex(function (li) { return "#" + li.id === location.hash; });
    if (n >= 0) show(n);
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
        if (!seen["$" + v]) menu.appendChild(text("option", v));
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

  // Choosing an answer makes the step that shows it the present one.
  $(".ask details").forEach(function (d) {
    d.addEventListener("toggle", function () {
      var a = d.open && d.querySelector('a[href^="#s"], a[href^="#l"][href*="-s"]');
      var n = a ? steps.findIndex(function (li) { return "#" + li.id === a.getAttribute("href"); }) : -1;
      if (n >= 0) show(n);
    });
  });
  addEventListener("beforeprint", function () {
    $("details:not(.everything):not(.truetime):not(.events):not(.key)").forEach(function (d) { d.removeAttribute("name"); d.open = true; });
  });

  if (steps.length) {
    root.classList.add("js");
    fromHash();
  }
})();
