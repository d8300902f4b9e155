// The list is complete without this script. It adds filters.
(function () {
  "use strict";
  var one = function (q) { return document.querySelector(q); };
  var box = one(".filter");
  if (!box) return;
  var text = one("#text"), verdict = one("#verdict"), lock = one("#lock"), met = one("#met");
  var fields = [text, verdict, lock, met];
  var rows = [].map.call(document.querySelectorAll(".runs tbody tr"), function (tr) {
    var locks = {};
    tr.querySelectorAll("[data-lock]").forEach(function (li) { locks["=" + li.dataset.lock] = li.dataset.verdict; });
    return { tr: tr, text: tr.textContent.toLowerCase().replace(/\s+/g, " "), locks: locks };
  });

  // With a lock, the verdict is that of the lock, else the worst of the run.
  function fits(row, words) {
    var of = lock.value ? row.locks["=" + lock.value] : row.tr.dataset.verdict;
    return of !== undefined && (!verdict.value || of === verdict.value) &&
      (!met.value || row.tr.dataset.met === met.value) &&
      words.every(function (w) { return row.text.indexOf(w) >= 0; });
  }

  function filter() {
    var words = text.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
    rows.forEach(function (row) {
      row.tr.hidden = !fits(row, words);
      if (!row.tr.hidden) shown++;
    });
    one("#none").hidden = shown > 0;
    var count = one("#count"), says = shown === rows.length ? count.dataset.all : count.dataset.some;
    count.textContent = says.replace("{n}", shown).replace("{all}", rows.length);
  }

  box.hidden = false;
  fields.forEach(function (f) { f.addEventListener("input", filter); });
  one("#clear").addEventListener("click", function () {
    fields.forEach(function (f) { f.value = ""; });
    filter();
    text.focus();
  });
  document.addEventListener("keydown", function (e) {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    e.preventDefault();
    text.focus();
  });
  filter(); // a browser keeps the fields when it goes back to this page
})();
