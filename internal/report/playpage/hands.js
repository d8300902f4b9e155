// The common code of the playground and the first page of the site: requests to the simulator, and
// drags of the faults in a timeline.
//
//   var sim = simulator("worker.js", "en", { shown: function (frame, request) {} });
//   sim.ask({ edit: { story: "split-brain" } }, event);  // shown gets the frame, also in sim.frame;
//                                                        // the event, if given, starts the latency
//   hands(element, sim, {});                             // drags and keys move the faults in it
//
// Further callbacks of simulator: asked(request), idle(request) when nothing else waits,
// failed(why), and unstarted() without a worker. The first request starts the worker, or start
// does. hands has the callback touched(), and the option ends: then only the ends of faults move,
// and none is removed.
function simulator(address, language, on) {
  "use strict";
  // At most one request is in flight. Of the later ones only the last waits.
  var worker = null, busy = null, waiting = null, numbered = 0;
  var self = { file: "", frame: null, drag: null };
  self.start = function () {
    if (worker) return;
    try {
      worker = new Worker(address);
    } catch (e) { // a page that was opened as a file
      if (on.unstarted) on.unstarted();
      worker = { postMessage: function () {} };
      return;
    }
    worker.onerror = function () { if (on.unstarted) on.unstarted(); };
    worker.onmessage = function (e) {
      var request = busy;
      busy = null;
      if (e.data.failed) return on.failed && on.failed(e.data.failed);
      self.take(JSON.parse(e.data.frame), request);
      if (request.edit) painted(function () { performance.measure("edit to picture", { start: request.since }); });
      if (waiting) pump();
      else if (on.idle) on.idle(request);
    };
  };
  self.take = function (frame, request) {
    if (!(frame.problems && frame.problems.length) && !request.row) {
      self.frame = frame;
      self.file = frame.file;
    }
    on.shown(frame, request);
  };
  self.ask = function (request, event) { // event: of the drag or key that made the change
    if (on.asked) on.asked(request);
    request.language = language;
    request.since = event ? event.timeStamp : performance.now();
    waiting = request;
    pump();
  };
  self.rests = function () { return !busy && !waiting; };
  self.waits = function () { return !!waiting; };
  // coming is the edit of the request that waits, for keys that are faster than frames.
  self.coming = function () { return waiting && waiting.edit; };
  function painted(then) { requestAnimationFrame(function () { setTimeout(then, 0); }); }
  function pump() {
    self.start();
    if (busy || !waiting) return;
    busy = waiting;
    waiting = null;
    if (!busy.file && !busy.address) busy.file = self.file; // that of the last frame
    worker.postMessage({ id: ++numbered, request: busy });
  }
  return self;
}

function hands(stages, sim, on) {
  "use strict";
  function touched() { if (on.touched) on.touched(); }
  stages.addEventListener("pointerdown", function (e) {
    var held = e.target.closest(".held, .lease-grip");
    if (!held || e.button > 0) return;
    e.preventDefault();
    held.focus({ preventScroll: true });
    touched();
    stages.setPointerCapture(e.pointerId);
    sim.drag = {
      file: sim.file, window: sim.frame.window, x: e.clientX, pointer: e.pointerId, lease: "lease" in held.dataset,
      width: held.closest(".strips").querySelector(".track").clientWidth, fault: +held.dataset.fault, end: on.ends || !!e.target.closest(".grip")
    };
  });
  stages.addEventListener("pointermove", function (e) {
    if (sim.drag && sim.drag.pointer === e.pointerId) sim.ask(moved(e, sim.drag.window), e);
  });
  function moved(e, window) {
    var drag = sim.drag, by = Math.round((e.clientX - drag.x) / drag.width * drag.window);
    return { file: drag.file, window: window, timeline: true, edit: drag.lease ? { lease: by } : { move: { fault: drag.fault, end: drag.end, by: by } } };
  }
  function drop(e) {
    if (!sim.drag || sim.drag.pointer !== e.pointerId) return;
    var last = moved(e, 0);
    sim.drag = null;
    sim.ask(last, e);
  }
  stages.addEventListener("pointerup", drop);
  stages.addEventListener("pointercancel", drop);
  stages.addEventListener("keydown", function (e) {
    var fault = e.target.closest && e.target.closest("[data-fault], [data-lease]"), lease = fault && "lease" in fault.dataset;
    if (!fault) return;
    var step = Math.max(50, Math.round(sim.frame.window / 100 / 50) * 50), by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step }[e.key];
    if (lease && by) {
      sim.ask({ window: sim.frame.window, timeline: true, edit: { lease: by + (sim.coming() && sim.coming().lease || 0) } }, e);
    } else if (lease) return;
    else if (!on.ends && (e.key === "Delete" || e.key === "Backspace")) sim.ask({ edit: { remove: +fault.dataset.fault } });
    else if (by) {
      // Keys can be faster than frames: those that wait add up.
      var before = sim.coming() && sim.coming().move, end = on.ends || e.shiftKey;
      if (before && before.fault === +fault.dataset.fault && before.end === end) by += before.by;
      sim.ask({ window: sim.frame.window, timeline: true, edit: { move: { fault: +fault.dataset.fault, end: end, by: by } } }, e);
    }
    else return;
    touched();
    e.preventDefault();
  });
}
