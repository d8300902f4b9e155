// The page is complete without this script. It adds the ticks: which locks survive what
// the reader has to expect. The address holds the ticks, so a link shows the same.
(function () {
  "use strict";
  var all = [].slice;
  var $ = function (q, from) { return all.call((from || document).querySelectorAll(q)); };
  var one = function (q) { return document.querySelector(q); };
  var says = JSON.parse(one("#says").textContent);
  var boxes = $("#ticks input:not([name])"), ways = $("#ticks input[name=way]"), stores = $("#ticks input[name=store]"), rows = $("#sets tbody tr"), body = one("#sets tbody");
  var box = {};
  boxes.forEach(function (b) { box[b.value] = b; });
  one("#ticks").hidden = false;
  $(".you").forEach(function (c) { c.hidden = false; });

  // What can last long can be short, too.
  function withShort(b) {
    var s = box[b.value + "-short"];
    if (s && b.checked) s.checked = true;
    var long = b.value.replace(/-short$/, "");
    if (long !== b.value && !b.checked && box[long]) box[long].checked = false;
  }

  function show() {
    var ticked = boxes.filter(function (b) { return b.checked; }).map(function (b) { return b.value; });
    var left = stores.filter(function (s) { return !s.checked; }).map(function (s) { return s.value; });
    var safe = [], found = [], others = [];
    rows.forEach(function (row) {
      row.hidden = left.indexOf(row.dataset.store) >= 0;
      if (row.hidden) return;
      var broken = false;
      $("li", row).forEach(function (li) {
        var meets = li.dataset.kinds.split(" ").every(function (k) { return !k || ticked.indexOf(k) >= 0; });
        var counts = ways[li.closest("td").dataset.way].checked;
        li.classList.toggle("meets", meets && counts);
        broken = broken || meets && counts;
      });
      var you = row.querySelector(".you"), unknown = !broken && row.dataset.unknown, survives = row.dataset.survives;
      you.querySelector("b").textContent = broken ? says.broken : unknown ? says.unknown : says[survives];
      you.className = "you " + (broken ? "broken" : unknown ? "unknown" : survives.replace(" ", "-"));
      (broken || unknown ? others : survives === "complete" ? safe : survives === "sampled" ? found : others).push(row);
    });
    document.documentElement.classList.toggle("ticked", ticked.length > 0);
    safe.concat(found, others).forEach(function (row) { body.appendChild(row); });
    one("#answer").textContent = says.answer.replace("{n}", safe.length).replace("{found}", found.length)
      .replace("{of}", safe.length + found.length + others.length);
    var but = ways.filter(function (w) { return !w.checked; }).map(function (w) { return w.value; });
    return "#expect=" + ticked.join(",") + (but.length ? ";but=" + but.join(",") : "") + (left.length ? ";not=" + left.join(",") : "");
  }

  function fromAddress() {
    var found = /^#expect=([a-z,-]*)(?:;but=([0-9,]*))?(?:;not=([a-z,-]*))?$/.exec(location.hash);
    if (found) {
      var wanted = found[1].split(","), but = (found[2] || "").split(","), not = (found[3] || "").split(",");
      boxes.forEach(function (b) { b.checked = wanted.indexOf(b.value) >= 0; });
      ways.forEach(function (w) { w.checked = but.indexOf(w.value) < 0; });
      stores.forEach(function (s) { s.checked = not.indexOf(s.value) < 0; });
      show();
      return;
    }
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var story = target && target.closest("details");
    if (story) {
      story.open = true;
      target.scrollIntoView();
    }
  }

  one("#ticks").addEventListener("change", function (e) {
    withShort(e.target);
    history.replaceState(null, "", show());
  });
  addEventListener("hashchange", fromAddress);
  show();
  fromAddress();
})();
