// Fits a diagram to the width of its container: if there is less room than its columns take, they
// move together. Bars, marks and words keep their size, and words at the right edge move in. Names
// of columns that are too close are slanted. With a larger font size of the reader, the diagram
// grows as far as there is room: svg.grown is the factor. fitDiagram(svg) may be called again when
// the room changes.
var fitDiagram = (function () {
  "use strict";
  var all = [].slice, gutter = 84, edge = 40, least = 22; // edge: on the right of the last column
  function get(e, name) { return +e.getAttribute(name) || 0; }

  return function (svg) {
    (svg.undo || []).reverse().forEach(function (u) { if (u[2] === null) u[0].removeAttribute(u[1]); else u[0].setAttribute(u[1], u[2]); });
    (svg.cut || []).forEach(function (c) { c[0].textContent = c[1]; });
    svg.undo = [];
    svg.cut = [];
    var set = function (e, name, to) {
      svg.undo.push([e, name, e.getAttribute(name)]);
      e.setAttribute(name, to);
    };
    var larger = Math.max(parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, 1);
    svg.style.zoom = larger > 1 ? larger : ""; // the container makes room for it, if it can
    var style = getComputedStyle(svg.parentNode), room = svg.parentNode.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    var wide = svg.viewBox.baseVal.width, high = svg.viewBox.baseVal.height, heads = svg.querySelector(".heads"), names = all.call(heads.querySelectorAll(".node"));
    var xs = names.map(function (e) { return get(e, "x"); });
    var close = gutter + edge + 44 * (xs.length - 0.5);
    svg.grown = room > 0 ? Math.max(1, Math.min(larger, room / close)) : 1;
    svg.style.zoom = svg.grown > 1 ? svg.grown : "";
    room = Math.floor(room / svg.grown);
    if (room > 0 && room < wide && xs.length) squeeze();
    follow();

    function squeeze() {
      var pitch = Math.max((room - gutter - edge) / (xs.length - 0.5), least), near = Math.min(12, pitch * 0.3);
      room = Math.round(gutter + edge + pitch * (xs.length - 0.5));
      if (room >= wide) return;
      var from = [0, gutter], to = [0, gutter];
      xs.forEach(function (x, n) {
        var at = gutter + pitch * (n + 0.5);
        from.push(x - near, x + near);
        to.push(at - near, at + near);
      });
      from.push(wide);
      to.push(room);
      // place moves an x with its column, and one between two columns in proportion.
      function place(x) {
        for (var i = 1; i < from.length - 1 && from[i] < x; i++);
        return Math.round(10 * (to[i - 1] + (to[i] - to[i - 1]) * (x - from[i - 1]) / (from[i] - from[i - 1]))) / 10;
      }
      all.call(svg.querySelectorAll("text, tspan, rect, circle, path")).forEach(function (e) {
        if (e.matches(".later, .cursor")) return;
        if (e.hasAttribute("d")) set(e, "d", e.getAttribute("d").replace(/([MLH])(-?[\d.]+)/g, function (_, letter, x) { return letter + place(+x); }));
        else if (e.hasAttribute("cx")) set(e, "cx", place(get(e, "cx")));
        else if (e.hasAttribute("x")) {
          var x = place(get(e, "x"));
          if (e.hasAttribute("width")) set(e, "width", Math.max(place(get(e, "x") + get(e, "width")) - x, 1));
          set(e, "x", x);
        }
      });
      set(svg, "width", room);
      set(svg, "viewBox", "0 0 " + room + " " + high);
      slant(pitch);
      words();
    }

    function slant(pitch) {
      if (pitch >= 80) return;
      names.forEach(function (e) {
        set(e, "class", "node small" + (pitch < 46 ? " s" : " m"));
        if (pitch >= 46) return;
        set(e, "transform", "rotate(-40 " + get(e, "x") + " 34)");
        set(e, "y", 34);
        set(e, "style", "font-size: 10.5px");
      });
      if (pitch < 46) all.call(heads.querySelectorAll(".role")).forEach(function (e) { set(e, "display", "none"); });
      else all.call(heads.querySelectorAll(".node, .role")).forEach(function (e) {
        if (e.getComputedTextLength() <= pitch - 3) return;
        set(e, "textLength", pitch - 3);
        set(e, "lengthAdjust", "spacingAndGlyphs");
      });
    }

    // words moves those of messages and marks between the numbers of the steps and the edge.
    function words() {
      var long = all.call(svg.querySelectorAll(".w, .o, .quiet")).map(function (e) { return { e: e, box: e.getBBox() }; });
      long.forEach(function (l) {
        var free = room - gutter, x = get(l.e, "x"), by = 0;
        if (l.box.width > free && !l.e.children.length) {
          svg.cut.push([l.e, l.e.textContent]);
          l.e.textContent = l.e.textContent.slice(0, Math.floor(l.e.textContent.length * free / l.box.width) - 2) + "…";
          l.box = l.e.getBBox();
        }
        if (l.box.x + l.box.width > room - 2) by = room - 2 - l.box.x - l.box.width;
        else if (l.box.x < gutter) by = gutter - l.box.x;
        if (!by) return;
        set(l.e, "x", x + by);
        // Above its mark instead of on it.
        if (by < -4 && l.e.matches(".o, .w:not(.m)")) set(l.e, "y", get(l.e, "y") - 11);
        all.call(l.e.children).forEach(function (part) { set(part, "x", get(part, "x") + by); });
      });
    }

    // follow gives the sticky names the same places.
    function follow() {
      var bar = svg.parentNode.querySelector(".heads-bar svg");
      if (!bar) return;
      bar.style.zoom = svg.style.zoom;
      bar.setAttribute("width", svg.viewBox.baseVal.width);
      bar.setAttribute("viewBox", "0 0 " + svg.viewBox.baseVal.width + " 38");
      bar.replaceChildren(heads.cloneNode(true));
    }
  };
})();
(function () {
  "use strict";
  function fit(e) { [].forEach.call(e.querySelectorAll("svg.spacetime:has(> .life)"), fitDiagram); }
  addEventListener("resize", function () { fit(document); });
  document.addEventListener("toggle", function (e) { if (e.target.open) fit(e.target); }, true);
})();
