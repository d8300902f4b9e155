// redraw replaces the picture of a run. During a drag, the previous run is faintly below it: the
// beliefs of its clients, their pauses, and the ends of leases. It goes when nothing moves for a
// moment, or with the first picture after the drag.
//
//   redraw(stage, html, moves);  // stage: its container; data-before: the word for that run
//
// An unchanged picture stays in place, so a click that has begun is not lost.
var redraw = (function () {
  "use strict";
  var moment = 700, all = [].slice; // ms
  function gone(stage) {
    clearTimeout(stage.resting);
    (stage.kept || []).forEach(function (b) { b.shape.remove(); });
    stage.kept = null;
  }
  // shapes are the parts of the current picture to keep, each with the selector of its container.
  function shapes(stage) {
    return all.call(stage.querySelectorAll(".lane[data-role=client] .track > :is(.believes, .frozen), .rows-of > .lease:not(.now)")).map(function (e) {
      var shape = e.cloneNode(false), lane = e.closest(".lane"), client = /\bk\d+\b/.exec(e.className);
      shape.className = "before " + (lane ? client ? client[0] : "asleep" : "lease");
      shape.setAttribute("aria-hidden", "true");
      shape.removeAttribute("data-ends"); // no cursor moves it
      shape.dataset.word = stage.dataset.before || "";
      return { shape: shape, into: lane ? '.lane[data-node="' + CSS.escape(lane.dataset.node) + '"] .track' : ".rows-of" };
    });
  }
  return function (stage, html, moves) {
    if (!moves) gone(stage);
    else if (!stage.kept) stage.kept = shapes(stage);
    if (stage.filled !== html) {
      stage.filled = html;
      stage.innerHTML = html;
      (stage.kept || []).forEach(function (b) {
        var into = stage.querySelector(b.into);
        if (!into) return;
        var now = into.querySelector(".believes");
        // Its word is at its visible end.
        b.shape.classList.toggle("early", !!now && parseFloat(now.style.left) > parseFloat(b.shape.style.left));
        into.insertBefore(b.shape, into.firstChild);
      });
    }
    clearTimeout(stage.resting);
    if (moves) stage.resting = setTimeout(function () { gone(stage); }, moment);
  };
})();
