// Stepping through the story: j and k go on and back, g to what broke.
(function () {
  "use strict";
  var steps = [].slice.call(document.querySelectorAll(".steps li"));
  if (!steps.length) return;
  document.documentElement.classList.add("js");
  var at = -1;
  function go(to) {
    if (to < 0 || to >= steps.length) return;
    if (at >= 0) steps[at].classList.remove("now");
    at = to;
    steps[at].classList.add("now");
    steps[at].focus({ preventScroll: true });
    steps[at].scrollIntoView({ block: "nearest" });
  }
  function violation() {
    for (var i = 1; i <= steps.length; i++) {
      var n = (at + i + steps.length) % steps.length;
      if (steps[n].classList.contains("bad")) return n;
    }
    return at;
  }
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "j") go(at + 1);
    else if (e.key === "k") go(at - 1);
    else if (e.key === "g") go(violation());
  });
  document.addEventListener("click", function (e) {
    var li = e.target.closest && e.target.closest(".steps li");
    if (li) go(steps.indexOf(li));
  });
})();
