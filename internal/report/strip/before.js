// redraw replaces a picture of the run by another one. While a hand moves something, the run before lies
// faintly under it: what its clients believed, when they slept, and where leases ended. It goes when
// nothing moves for a moment, and with the first picture of a hand that has let go.
//
//   redraw(stage, html, moves);  // stage: what the picture stands in; data-before: the word for that run
//
// A picture that is the same stays, so a click that has begun is not lost.
var redraw = (function () {
  "use strict";
  var moment = 700, all = [].slice; // ms
  function gone(stage) {
    clearTimeout(stage.resting);
    (stage.kept || []).forEach(function (b) { b.shape.remove(); });
    stage.kept = null;
  }
  // shapes are what remains of the present picture, each with the selector of what it lies in.
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
        b.shape.classList.toggle("early", !!now && parseFloat(now.style.left) > parseFloat(b.shape.style.left)); // its word is where it is seen
        into.insertBefore(b.shape, into.firstChild);
      });
    }
    clearTimeout(stage.resting);
    if (moves) stage.resting = setTimeout(function () { gone(stage); }, moment);
  };
})();
