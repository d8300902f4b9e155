// A link to a piece of evidence opens it.
(function () {
  "use strict";
  function open() {
    var id = decodeURIComponent(location.hash.slice(1));
    var found = id && document.getElementById(id);
    if (found && found.tagName === "DETAILS") {
      found.open = true;
      found.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", open);
  document.addEventListener("click", function (e) {
    var link = e.target.closest && e.target.closest("a[href='" + location.hash.replace(/'/g, "") + "']");
    if (link) open(); // following it again does not change the address
  });
  open();

  // A check of tokens changes which rows are least harmed: styles change the numbers, this script
  // the order.
  var tokens = document.getElementById("tokens"), bodies = [].slice.call(document.querySelectorAll(".heat tbody"));
  var rows = bodies.map(function (body) { return [].slice.call(body.querySelectorAll("tr:not(.group)")); });
  function harm(row) {
    return parseInt((row.querySelector(tokens.checked ? ".sum .with" : ".sum .as") || row.querySelector(".sum")).textContent, 10);
  }
  function sort() {
    bodies.forEach(function (body, i) {
      rows[i].slice().sort(function (a, b) {
        return harm(a) - harm(b) || a.querySelectorAll(".damaged").length - b.querySelectorAll(".damaged").length || rows[i].indexOf(a) - rows[i].indexOf(b);
      }).forEach(function (row) { body.appendChild(row); });
    });
  }
  if (!tokens) return;
  tokens.addEventListener("change", sort);
  if (tokens.checked) sort(); // a browser may remember it
})();
