// The page asks the simulator, a worker, for one frame after the other and shows them. Frames are
// rendered there; this script handles input.
(function () {
  "use strict";
  var $ = function (id) { return document.getElementById(id); };
  var all = function (q, from) { return [].slice.call((from || document).querySelectorAll(q)); };
  var says = JSON.parse($("says").textContent), cards = JSON.parse($("cards").textContent);
  var language = document.documentElement.lang;
  var stages = $("stages"), pictures = $("pictures"), problems = $("problems");
  var frame = null, whole = null /* the last frame that has diagrams */, brief = "", address = "";

  var headline = $("title").parentNode.insertBefore(element("h1", ""), $("title"));
  headline.hidden = true;

  var settling = 0;
  var sim = simulator("worker.js", language, {
    asked: function (request) {
      clearTimeout(settling);
      settling = 0;
      // The address is outdated.
      if (!request.settled && !request.row) delete stages.dataset.settled;
    },
    shown: show,
    idle: function (request) {
      if (request.settled || request.row || sim.drag && !request.timeline) return chart();
      // A drag has no address yet, which takes as long as all the rest. ask clears the timer.
      settling = setTimeout(function () { ask(sim.drag ? { window: frame.window } : { settled: true }); }, 150);
    },
    failed: fail,
    unstarted: function () { fail(says.noworker); }
  });
  var ask = sim.ask;
  function fail(why) {
    stages.setAttribute("aria-busy", "false");
    say([says.failed, why]);
  }
  function say(list) {
    problems.hidden = !list.length;
    problems.textContent = list.join("\n");
  }

  function show(f, request) {
    if (request.row) return charted(f, request.row);
    // The frame of a timer leaves the message.
    if (f.problems && f.problems.length || !request.settled) say(f.problems || []);
    stages.setAttribute("aria-busy", "false");
    if (f.problems && f.problems.length) return;
    frame = f;
    if (!request.timeline) whole = f;
    headline.hidden = f.title === says.begins; // for another story
    $("title").hidden = $("hint").hidden = !headline.hidden;
    headline.textContent = f.title;
    var known = all("option", $("story")).filter(function (o) { return o.value && o.textContent === f.title; })[0];
    $("story").value = known && !lesson ? known.value : "";
    $("told").hidden = !known || !!lesson;
    $("told").textContent = known ? says.stories[f.title] : "";
    locks(request.timeline, request.timeline && request.window > 0);
    f.controls.forEach(function (c) {
      var input = $("in-" + c.id);
      if (document.activeElement !== input || !sim.drag) input.value = c.index;
      input.setAttribute("aria-valuetext", c.text);
      $("out-" + c.id).textContent = c.text;
    });
    $("fence").value = f.fence;
    fill($("faults"), f.faults);
    if (!sim.waits()) turnTo(f.seed); // else the wheel was turned further
    $("hashes").textContent = "";
    f.locks.forEach(function (l) { $("hashes").appendChild(element("code", l.id + " " + l.hash)); });
    if (f.brief && !sim.waits()) settled();
    taught();
  }

  function element(tag, text, cls) {
    var e = document.createElement(tag);
    e.textContent = text;
    if (cls) e.className = cls;
    return e;
  }

  // Each lock has a timeline above and a diagram below, which waits until the pointer rests. The
  // focus stays where it is.
  function locks(timelines, moves) {
    var held = document.activeElement && document.activeElement.closest && document.activeElement.closest("[data-fault], [data-lease]");
    var held_lock = held ? all(".lock").indexOf(held.closest(".lock")) : -1, held_fault = held && held.dataset.fault;
    var wait = stages.querySelector(".wait");
    if (wait) wait.remove();
    fit(stages, "lock", ".lock", frame.locks.length);
    frame.locks.forEach(function (l, i) {
      var box = all(".lock", stages)[i];
      box.dataset.verdict = l.verdict;
      box.dataset.impact = l.impact;
      box.querySelector(".which").value = l.id;
      box.querySelector(".less").hidden = frame.locks.length < 2;
      var verdict = box.querySelector(".verdict"), words = l.word + " " + l.says;
      if (verdict.dataset.words !== words) {
        verdict.dataset.words = words;
        verdict.textContent = "";
        verdict.appendChild(element("b", l.word));
        verdict.appendChild(document.createTextNode(l.says));
      }
      redraw(box.querySelector(".stage"), l.stage, moves);
    });
    pictures.classList.toggle("stale", !!timelines);
    if (!timelines) diagrams();
    withMenus();
    if (present >= 0 && lead()) lead().toTime(present);
    veil();
    if (held_lock >= 0) {
      var again = all(".lock")[held_lock];
      again = again && again.querySelector(held_fault ? '[data-fault="' + held_fault + '"]' : "[data-lease]");
      if (again) again.focus({ preventScroll: true });
    }
    more.hidden = frame.locks.length >= says.most;
    if (stages.lastElementChild !== more) stages.appendChild(more); // or a click that has begun is lost
  }
  function diagrams() {
    fit(pictures, "picture", ".player", frame.locks.length);
    cursors.splice(frame.locks.length).forEach(function (c) { if (c) c.end(); });
    frame.locks.forEach(function (l, i) {
      var told = all(".player", pictures)[i];
      told.querySelector("h2").textContent = l.id;
      told.dataset.impact = l.impact;
      var diagram = told.querySelector(".diagram"), story = told.querySelector(".story");
      diagram.setAttribute("aria-label", l.id);
      story.setAttribute("aria-label", l.id);
      if (fill(diagram, l.picture) | fill(story, l.story)) bind(i, told);
    });
  }
  // fill leaves unchanged content in place, so that a click on it is not lost. It returns whether
  // the content changed.
  function fill(e, html) {
    if (e.filled === html) return false;
    e.filled = html;
    e.innerHTML = html;
    return true;
  }
  function fit(into, template, selector, n) {
    var have = all(selector, into);
    for (; have.length > n; have.pop()) have[have.length - 1].remove();
    for (var i = have.length; i < n; i++) into.appendChild($(template).content.cloneNode(true));
  }
  var more = element("button", says.more);
  more.type = "button";
  more.id = "more";
  more.addEventListener("click", function () {
    var ids = frame.locks.map(function (l) { return l.id; });
    var next = says.suggest.filter(function (id) { return ids.indexOf(id) < 0; })[0];
    ask({ edit: { locks: ids.concat(next) } });
  });
  stages.addEventListener("change", function (e) {
    if (!e.target.matches(".which")) return;
    ask({ edit: { locks: all(".which", stages).map(function (s) { return s.value; }).filter(function (id, i, list) { return list.indexOf(id) === i; }) } });
  });
  stages.addEventListener("click", function (e) {
    if (!e.target.matches(".less")) return;
    var gone = all(".less", stages).indexOf(e.target);
    ask({ edit: { locks: frame.locks.map(function (l) { return l.id; }).filter(function (id, i) { return i !== gone; }) } });
  });

  // One cursor in time for the timelines, diagrams and steps of all locks. The lock in which it was
  // moved last leads, the others follow. It keeps its time when the run changes.
  var desk = $("desk"), cursors = [], leader = null, present = -1; // µs; -1: none
  function lead() { return leader || cursors.filter(Boolean)[0]; }
  function bind(i, player) {
    var was = cursors[i];
    cursors.forEach(function (c) { if (c) c.pause(); });
    if (was) was.end();
    var c = cursors[i] = timeCursor(player, { desk: desk, moved: stands, changed: changed });
    if (leader === was) leader = c;
    if (c && guesses()) return stop(c);
    if (!c || present >= 0 || c.worst() === player.worst) return;
    player.worst = c.worst();
    c.open(player.worst);
  }
  function stands(c) {
    leader = c;
    present = c.time;
    cursors.forEach(function (other) { if (other && other !== c) other.follow(present); });
    all(".stage", stages).forEach(function (stage) {
      stage.classList.add("moving");
      stage.style.setProperty("--now", Math.min(present / 1000 / frame.window, 1));
      timeCursor.ends(stage.querySelector(".strips"), present);
    });
  }
  function changed(c) {
    var row = c.rows[c.at];
    if (sim.drag) return;
    $("now").textContent = row ? says.step.replace("{n}", c.at + 1).replace("{of}", c.rows.length).replace("{at}", row.querySelector(".t").textContent) + " " + row.querySelector("p").textContent : "";
  }
  var act = {
    play: function () { lead().play(); }, next: function () { lead().next(); }, back: function () { lead().back(); },
    violation: function () {
      var c = lead(), rest = cursors.slice(cursors.indexOf(c) + 1).concat(cursors).filter(function (o) { return o && o.worst() >= 0; });
      if (c.nextBad() >= 0 && (c.nextBad() > c.at || rest[0] === c)) c.go(c.nextBad());
      else if (rest.length) rest[0].go(rest[0].worst());
    },
    close: function () {
      present = -1;
      cursors.forEach(function (c) { if (c) c.away(); });
      all(".stage", stages).forEach(function (stage) { stage.classList.remove("moving"); });
    }
  };
  var keys = { j: "next", k: "back", " ": "play", g: "violation", Escape: "close" };
  document.addEventListener("keydown", function (e) {
    var own = e.target.closest && e.target.closest("input, select, textarea, dialog, #seed, [data-fault], [data-lease]");
    if (e.ctrlKey || e.metaKey || e.altKey || own || !keys[e.key] || !lead() || guesses()) return;
    if (e.key === " " && e.target.closest && e.target.closest("button, summary, a")) return;
    e.preventDefault();
    act[keys[e.key]]();
  });
  desk.addEventListener("click", function (e) {
    var button = e.target.closest("[data-go]");
    if (button && lead()) act[button.dataset.go]();
  });
  desk.querySelector(".scrub").addEventListener("input", function () {
    if (!lead()) return;
    lead().pause();
    lead().toShare(this.value / 1000);
  });
  pictures.addEventListener("click", function (e) { // a number of the diagram, or a step
    var link = e.target.closest(".spacetime a"), row = link ? document.getElementById(link.getAttribute("href").slice(1)) : e.target.closest(".steps li");
    if (link) e.preventDefault();
    var c = row && cursors[all(".player", pictures).indexOf(row.closest(".player"))];
    if (c && !guesses() && !String(getSelection())) c.go(c.rows.indexOf(row));
  });
  var scrubbing = null; // by hand, in a timeline
  stages.addEventListener("pointerdown", function (e) {
    var stage = e.target.closest(".stage");
    if (!stage || e.target.closest(".held, .lease-grip") || e.button > 0) return;
    scrubbing = { pointer: e.pointerId, stage: stage, cursor: cursors[all(".stage", stages).indexOf(stage)] || lead() };
    stages.setPointerCapture(e.pointerId);
    scrub(e);
  });
  stages.addEventListener("pointermove", scrub);
  ["pointerup", "pointercancel"].forEach(function (kind) { stages.addEventListener(kind, function () { scrubbing = null; }); });
  function scrub(e) {
    if (!scrubbing || scrubbing.pointer !== e.pointerId || !scrubbing.cursor) return;
    var box = scrubbing.stage.querySelector(".axis .track").getBoundingClientRect(), share = (e.clientX - box.left) / box.width;
    scrubbing.cursor.pause();
    scrubbing.cursor.toTime(Math.min(Math.max(share, 0), 1) * frame.window * 1000);
  }

  // Sliders. During a drag, each position is an edit of the initial file.
  all("[data-control]").forEach(function (input) {
    input.addEventListener("input", function () {
      sim.drag = sim.drag || { file: sim.file, window: frame.window };
      touched();
      ask({ file: sim.drag.file, window: sim.drag.window, timeline: true, edit: { control: input.dataset.control, index: +input.value } });
    });
    input.addEventListener("change", function () {
      var from = sim.drag ? sim.drag.file : sim.file;
      sim.drag = null;
      ask({ file: from, timeline: true, edit: { control: input.dataset.control, index: +input.value } });
    });
  });
  $("fence").addEventListener("change", function () { ask({ edit: { fence: $("fence").value } }); });

  // Faults in the timeline.
  function track(x, y) {
    var lane = document.elementsFromPoint(x, y).filter(function (e) { return e.matches(".lane .track"); })[0];
    return lane || null;
  }
  hands(stages, sim, { touched: touched });
  $("faults").addEventListener("click", function (e) {
    if (e.target.dataset.remove) ask({ edit: { remove: +e.target.dataset.remove } });
  });
  function touched() { stages.classList.remove("fresh"); }

  // The palette: a fault is dragged into a lane or onto a message, or placed by a dialog after a
  // click.
  var chip = null;
  all(".chip").forEach(function (c) {
    c.addEventListener("pointerdown", function (e) {
      if (e.button > 0) return;
      chip = { from: c, x: e.clientX, y: e.clientY, ghost: null };
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener("pointermove", function (e) {
      if (!chip || !frame) return;
      if (!chip.ghost && Math.abs(e.clientX - chip.x) + Math.abs(e.clientY - chip.y) < 6) return;
      if (!chip.ghost) {
        chip.ghost = element("div", c.textContent);
        chip.ghost.id = "ghost";
        document.body.appendChild(chip.ghost);
      }
      chip.ghost.style.left = e.clientX + "px";
      chip.ghost.style.top = e.clientY + "px";
      if (e.clientY > innerHeight - 40) scrollBy(0, 12); // the diagram may lie below
      if (e.clientY < 40) scrollBy(0, -12);
      aim(target(e));
    });
    c.addEventListener("pointerup", function (e) {
      if (!chip) return;
      var dragged = chip.ghost, hit = dragged && target(e);
      aim(null);
      if (dragged) dragged.remove();
      var mine = chip;
      mine.dropped = !!dragged;
      if (hit) ask({ edit: { add: hit.add } });
      else if (dragged) say([chip.refused || says.nowhere]);
      // After the click; by then the next may be held.
      setTimeout(function () { if (chip === mine) chip = null; }, 0);
    });
    c.addEventListener("pointercancel", function () {
      if (chip && chip.ghost) chip.ghost.remove();
      aim(null);
      chip = null;
    });
    c.addEventListener("click", function () { if (!chip || !chip.dropped) where(c); });
  });
  function aim(hit) {
    all(".aim, .aimed").forEach(function (e) { e.classList.remove("aim", "aimed"); });
    if (hit) hit.element.classList.add(hit.add.command ? "aimed" : "aim");
  }
  // allowed are the nodes of a lock in whose lanes a chip can be dropped.
  function allowed(c, i) { return frame.locks[i].targets[c.dataset.kind] || []; }
  function target(e) {
    var kind = chip.from.dataset.kind, lane = track(e.clientX, e.clientY);
    chip.refused = "";
    if (lane) {
      var box = lane.getBoundingClientRect(), node = lane.parentNode.dataset.node, nodes = allowed(chip.from, all(".lock", stages).indexOf(lane.closest(".lock")));
      if (nodes.indexOf(node) >= 0) return { element: lane, add: { kind: kind, node: node, at: Math.round((e.clientX - box.left) / box.width * frame.window) } };
      chip.refused = says.only.replace("{nodes}", nodes.join(", ") || says.none);
      return null;
    }
    var near = message(e.clientX, e.clientY), column = chip.from.classList.contains("wire") ? null : inDiagram(e.clientX, e.clientY);
    if (column && (!near || near.distance > 8)) return { element: column.element, add: { kind: kind, node: column.node, at: column.at } };
    if (!near) return null;
    return { element: near.element, add: { kind: kind, client: near.client, command: near.command, nth: near.nth, reply: near.reply } };
  }
  // inDiagram is the node of the column at a point of a diagram, and the time there, which follows
  // from the heights and times of the rows.
  function inDiagram(x, y) {
    var svg = document.elementsFromPoint(x, y).filter(function (e) { return e.matches("#pictures svg[data-rows]"); })[0];
    if (!svg) return null;
    var at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
    var lock = all(".lock", stages)[all(".player", pictures).indexOf(svg.closest(".player"))];
    var nodes = allowed(chip.from, all(".lock", stages).indexOf(lock));
    var head = all(".heads-bar .node", svg.parentNode).filter(function (t) { return nodes.indexOf(t.textContent) >= 0; }).sort(function (a, b) {
      return Math.abs(a.getAttribute("x") - at.x) - Math.abs(b.getAttribute("x") - at.x);
    })[0];
    if (!head || Math.abs(head.getAttribute("x") - at.x) > 45) return null;
    var rows = svg.dataset.rows.split(" ").map(Number), us = 0, from = 0;
    for (var i = 0; i < rows.length; i += 2) {
      if (rows[i] >= at.y) {
        us += (rows[i + 1] - us) * Math.max(at.y - from, 0) / Math.max(rows[i] - from, 1);
        break;
      }
      from = rows[i];
      us = rows[i + 1];
    }
    return { element: head, node: head.textContent, at: Math.round(us / 1000) };
  }
  // message is the arrow of a diagram nearest to a point; null if none is near.
  function message(x, y) {
    var best = null, least = 26;
    all("#pictures svg [data-event]").forEach(function (g) {
      var line = g.querySelector("path"), told = g.closest(".player"), m = line && line.getScreenCTM(), pane = g.closest(".pane").getBoundingClientRect();
      var arrow = m && whole.locks[all(".player", pictures).indexOf(told)].arrows[g.dataset.event];
      if (!arrow || x < pane.left || x > pane.right || y < pane.top || y > pane.bottom) return;
      var a = line.getPointAtLength(0).matrixTransform(m), b = line.getPointAtLength(line.getTotalLength()).matrixTransform(m);
      var dx = b.x - a.x, dy = b.y - a.y, t = Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1), 0), 1);
      var d = Math.hypot(a.x + t * dx - x, a.y + t * dy - y);
      if (d < least) {
        least = d;
        best = { element: g, distance: d, client: arrow.client, command: arrow.command, nth: arrow.nth, reply: arrow.reply };
      }
    });
    return best;
  }
  function where(c) {
    if (!frame) return;
    var wire = c.classList.contains("wire"), dialog = $("where");
    $("where-head").textContent = c.textContent;
    all(".node", dialog).forEach(function (e) { e.hidden = wire; });
    all(".wire", dialog).forEach(function (e) { e.hidden = !wire; });
    options($("where-node"), allowed(c, 0).map(function (node) { return [node, node]; }));
    options($("where-message"), whole.messages.map(function (m, i) { return [i, m.text]; }));
    dialog.returnValue = "";
    dialog.onclose = function () {
      if (dialog.returnValue !== "add") return;
      var m = whole.messages[+$("where-message").value], add = { kind: c.dataset.kind };
      if (wire && m) add = { kind: c.dataset.kind, client: m.client, command: m.command, nth: m.nth };
      else if (!wire) add = { kind: c.dataset.kind, node: $("where-node").value, at: Math.round(+$("where-at").value * 1000) };
      ask({ edit: { add: add } });
    };
    dialog.showModal();
  }
  function options(menu, list) {
    menu.textContent = "";
    list.forEach(function (o) {
      var e = element("option", o[1]);
      e.value = o[0];
      menu.appendChild(e);
    });
  }

  // The seed is a wheel: it is turned by drags, by the wheel of a mouse and by keys.
  var wheel = $("seed"), seed = 1n, grip = null;
  function turnTo(s) {
    seed = BigInt(s);
    if (wheel.getAttribute("aria-valuenow") === s && wheel.querySelector(".now")) return;
    wheel.setAttribute("aria-valuenow", s);
    var drum = wheel.firstElementChild;
    drum.textContent = "";
    for (var d = -2n; d <= 2n; d++) drum.appendChild(element("span", seed + d > 0n ? String(seed + d) : "", d === 0n ? "now" : ""));
  }
  function turn(by) {
    var to = seed + BigInt(by);
    if (to < 1n) to = 1n;
    if (to === seed) return;
    turnTo(String(to));
    ask({ timeline: true, edit: { seed: String(to) } });
  }
  wheel.addEventListener("wheel", function (e) {
    e.preventDefault();
    turn(e.deltaY + e.deltaX > 0 ? 1 : -1);
  }, { passive: false });
  wheel.addEventListener("pointerdown", function (e) {
    wheel.setPointerCapture(e.pointerId);
    grip = { x: e.clientX, from: seed, moved: false };
  });
  wheel.addEventListener("pointermove", function (e) {
    if (!grip) return;
    var by = Math.round((grip.x - e.clientX) / 30);
    grip.moved = grip.moved || by !== 0;
    turn(grip.from + BigInt(by) - seed);
  });
  wheel.addEventListener("pointerup", function (e) {
    var box = wheel.getBoundingClientRect(), place = (e.clientX - box.left) / box.width;
    if (grip && !grip.moved && (place < 0.35 || place > 0.65)) turn(place < 0.5 ? -1 : 1);
    grip = null;
  });
  wheel.addEventListener("keydown", function (e) {
    var by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (!by) return;
    e.preventDefault();
    turn(by);
  });
  $("luck").addEventListener("click", function () { turn(1 + Math.floor(Math.random() * 1000)); });

  // The address is the scenario, so a link shows exactly this run.
  var lesson = null;
  function settled() {
    brief = frame.brief;
    address = (lesson ? "lesson=" + lesson.name + "&" : "") + frame.address;
    history.replaceState(null, "", "#" + address);
    $("other").hash = address;
    stages.dataset.settled = "";
  }
  function fromAddress() {
    var hash = location.hash.slice(1), named = /^lesson=([a-z-]+)(?:&(.*))?$/.exec(hash);
    if (hash && hash === address) return;
    teach(named ? cards.filter(function (c) { return c.name === named[1]; })[0] || null : null, named && !named[2]);
    if (named) hash = named[2] || "";
    if (lesson && !hash) return ask({ edit: { open: lesson.start } });
    if (hash || frame) return ask(hash ? { address: hash } : { edit: { open: says.start } });
    sim.take(JSON.parse($("first").textContent), {}); // the page includes its first picture
    setTimeout(sim.start, 0);
    setTimeout(chart, 1000);
  }
  addEventListener("hashchange", fromAddress);

  function done(text) {
    $("said").textContent = text;
  }
  function copy(text, said) {
    var ok = function () { done(said); };
    if (navigator.clipboard) return navigator.clipboard.writeText(text).then(ok, byHand);
    byHand();
    function byHand() {
      var area = document.createElement("textarea");
      area.value = text;
      document.body.appendChild(area);
      area.select();
      if (document.execCommand("copy")) ok();
      area.remove();
    }
  }
  $("link").addEventListener("click", function () { copy(location.href, says.linked); });
  $("copy").addEventListener("click", function () { copy(brief, says.copied); });
  $("open").addEventListener("click", function () { $("file").click(); });
  $("file").addEventListener("change", function () {
    var chosen = $("file").files[0];
    if (!chosen) return;
    if (chosen.size > 1 << 20) return say([says.toolarge]);
    chosen.text().then(function (text) {
      teach(null);
      ask({ edit: { open: text } });
    });
    $("file").value = "";
  });
  $("story").addEventListener("change", function () {
    if (!$("story").value) return;
    teach(null);
    ask({ edit: { story: $("story").value } });
  });

  // The map: pause against lease, a few cells at a time while there is no other request, so a drag
  // never waits long for it. It stays as long as only these two change.
  var pauses = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 25, 30].map(function (s) { return s * 1000; });
  var leases = [30, 25, 20, 15, 12, 10, 8, 6, 4, 2].map(function (s) { return s * 1000; });
  var map = { of: "", cells: [] }, few = 3;
  function setting(id) { return frame.controls.filter(function (c) { return c.id === id; })[0].ms; }
  function place(all, ms) { // the position between the middles of two cells, in cells
    for (var i = 1; i < all.length && (all[i] - ms) * (all[i] - all[0]) < 0; i++);
    i = Math.min(i, all.length - 1);
    return Math.min(Math.max(i - 0.5 + (ms - all[i - 1]) / (all[i] - all[i - 1]), 0.2), all.length - 0.2);
  }
  function chart() {
    // It is called again later.
    if (!frame || sim.drag || guesses() || settling || !sim.rests()) return;
    $("map").hidden = !frame.hasMap;
    if (!frame.hasMap) return;
    var of = frame.file.replace(/^lease:.*$/m, "").replace(/^( +for:).*$/m, "$1");
    if (map.of !== of) map = { of: of, cells: [] };
    draw();
    var n = map.cells.length, x = n % pauses.length, y = (n - x) / pauses.length;
    if (y < leases.length) ask({ row: { lock: 0, lease: leases[y], pauses: pauses.slice(x, x + few) } });
  }
  function charted(f, row) {
    map.cells = map.cells.concat(f.map || row.pauses.map(function () { return "unknown"; }));
  }
  function draw() {
    var grid = $("map").querySelector(".grid"), dot = grid.querySelector(".dot");
    $("map-lock").textContent = frame.locks[0].id;
    if (!dot) {
      grid.style.gridTemplateColumns = "repeat(" + pauses.length + ", 1fr)";
      leases.forEach(function (lease) {
        pauses.forEach(function (pause) { grid.appendChild(element("i", "")).title = pause / 1000 + " s, " + lease / 1000 + " s"; });
      });
      dot = grid.appendChild(element("span", "", "dot"));
    }
    all("i", grid).forEach(function (cell, n) {
      if (cell.className !== (map.cells[n] || "")) cell.className = map.cells[n] || "";
    });
    dot.style.left = 100 * place(pauses, setting("pause")) / pauses.length + "%";
    dot.style.top = 100 * place(leases, setting("lease")) / leases.length + "%";
  }

  // Lessons: a story, a guess while the run stands still, the run, and a change by the learner,
  // which is done when the run reaches the goal.
  $("lessons").addEventListener("change", function () {
    if ($("lessons").value) location.hash = "lesson=" + $("lessons").value;
  });
  function guesses() { return document.body.classList.contains("guessing"); }
  function stop(c) {
    c.toTime(lesson.stop);
    c.veil(Math.max(c.at, 0));
  }
  // veil covers the run after the moment of the question.
  function veil() {
    all(".lock", stages).forEach(function (lock) {
      var cover = lock.querySelector(".veil"), stage = lock.querySelector(".stage"), track = stage.querySelector(".axis .track");
      stage.inert = guesses();
      cover.hidden = !guesses();
      if (!guesses() || !track) return;
      var box = lock.getBoundingClientRect(), on = track.getBoundingClientRect(), tall = stage.getBoundingClientRect();
      cover.style.left = on.left - box.left - lock.clientLeft + on.width * Math.min(lesson.stop / 1000 / frame.window, 1) + 1 + "px";
      cover.style.top = tall.top - box.top - lock.clientTop - 8 + "px"; // handles are taller than their lanes
      cover.style.height = tall.height + 8 + "px";
    });
  }
  addEventListener("resize", veil);
  function teach(card, guess) { // guess: the rest is hidden until the learner has guessed
    lesson = card;
    document.body.classList.toggle("teaching", !!card);
    document.body.classList.toggle("guessing", !!card && !!guess);
    $("lessons").value = card ? card.name : "";
    var box = $("lesson");
    box.hidden = !card;
    box.textContent = "";
    document.body.dataset.turn = card ? card.controls.join(" ") : "";
    all("[data-own]").forEach(function (e) { e.classList.toggle("own", !!card && card.controls.indexOf(e.dataset.own) >= 0); });
    every(false);
    if (!card) return;
    var add = function (tag, text, cls) { return box.appendChild(element(tag, text, cls)); };
    add("h2", card.heading).id = "lesson-title";
    var tale = add("details", "", "tale");
    tale.open = true;
    tale.appendChild(element("summary", says.tale));
    tale.appendChild(element("p", "")).innerHTML = card.story; // made by us, with its terms
    add("p", card.question, "turn");
    var list = add("div", "", "answers");
    card.answers.forEach(function (text, i) {
      var b = list.appendChild(element("button", text));
      b.type = "button";
      b.addEventListener("click", function () {
        list.classList.add("answered");
        tale.open = false; // it was read, and the rest needs the room
        all("button", list).forEach(function (other, n) {
          other.disabled = true;
          if (n === card.right) other.className = "right";
          else if (n === i) other.className = "wrong";
        });
        if (guesses()) {
          document.body.classList.remove("guessing");
          cursors.forEach(function (c) { if (c) c.veil(null); });
          act.close();
          veil();
          withMenus();
        }
        var said = add("p", card.whys[i] || says.right, card.whys[i] ? "why-not" : "why-yes");
        said.setAttribute("role", "status");
        add("p", card.see);
        add("p", card.turn, "turn");
        lesson.asked = true;
        taught();
      });
    });
    lesson.asked = lesson.over = false;
  }
  // A lesson shows only its own controls, until the learner asks for all of them.
  function every(shown) {
    document.body.classList.toggle("all", shown);
    $("all").setAttribute("aria-expanded", shown);
    withMenus();
  }
  $("all").addEventListener("click", function () { every($("all").getAttribute("aria-expanded") !== "true"); });
  function withMenus() {
    var fixed = !!lesson && (guesses() || !document.body.classList.contains("all") && lesson.controls.indexOf("lock") < 0);
    all(".which", stages).forEach(function (menu) { menu.disabled = fixed; });
  }
  function taught() {
    if (!lesson || !lesson.asked || lesson.over || !frame) return;
    var reached = frame.locks.filter(function (l) { return lesson.goal.every(function (g) { return l.facts[g]; }); })[0];
    if (!reached) return;
    lesson.over = true;
    var box = $("lesson"), done = box.appendChild(element("p", lesson.done, "done"));
    done.setAttribute("role", "status");
    done.dataset.verdict = reached.verdict;
    box.appendChild(element("p", lesson.remember));
    var next = cards[cards.indexOf(lesson) + 1];
    if (next) box.appendChild(element("a", says.next + " " + next.heading, "go")).href = "#lesson=" + next.name;
    done.scrollIntoView({ block: "nearest" });
  }

  document.documentElement.classList.add("js");
  stages.classList.add("fresh");
  fromAddress();
})();
