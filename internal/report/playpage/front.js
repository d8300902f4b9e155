// The first page of the site: its timeline is there before any script, and the end of its one fault
// can be moved as soon as the simulator is loaded.
(function () {
  "use strict";
  var lock = document.querySelector("#front .lock"), stage = lock.querySelector(".stage");
  var sim = simulator("playground/worker.js", document.documentElement.lang, { shown: show });
  var first = JSON.parse(document.getElementById("first").textContent);
  sim.file = first.file;
  sim.frame = first;
  function show(f, request) {
    if (f.problems && f.problems.length) return;
    var l = f.locks[0], held = document.activeElement && stage.contains(document.activeElement);
    lock.dataset.verdict = l.verdict;
    lock.dataset.impact = l.impact;
    redraw(stage, l.stage, request.window > 0);
    lock.querySelector(".verdict b").textContent = l.word;
    lock.querySelector(".verdict span").textContent = l.says;
    if (held) stage.querySelector("[data-fault]").focus({ preventScroll: true });
  }
  hands(stage, sim, { ends: true, touched: function () { lock.classList.remove("fresh"); } });
  lock.classList.add("fresh");
  document.getElementById("front").classList.add("js");
  addEventListener("load", function () { setTimeout(sim.start, 0); });
})();
