// The page is complete without this script. It adds the questions, whose answers are all on the
// page, and the ticks: which locks survive the faults that the reader expects. The address has the
// state of both.
(function () {
  "use strict";
  var all = [].slice;
  var $ = function (q, from) { return all.call((from || document).querySelectorAll(q)); };
  var one = function (q) { return document.querySelector(q); };
  var says = JSON.parse(one("#says").textContent);
  var boxes = $("#ticks input:not([name])"), ways = $("#ticks input[name=way]"), stores = $("#ticks input[name=store]"), rows = $("#sets tbody tr"), body = one("#sets tbody");
  var box = {};
  boxes.forEach(function (b) { box[b.value] = b; });
  one("#ticks").hidden = one("#questions").hidden = false;
  document.documentElement.classList.add("asked");

  // The answer to the choices; whether the resource can refuse matters only if two do damage.
  function chosen(name) {
    var found = one("#questions input[name=" + name + "]:checked");
    return found ? found.dataset.refuses || found.value : "";
  }
  function answer() {
    var damage = chosen("if-two") === "damage", id = "answer-" + chosen("have") + "-" + chosen("if-two") + (damage ? "-" + chosen("tokens") : "");
    one("#ask-tokens").disabled = !damage;
    $(".answer").forEach(function (a) {
      a.hidden = a.id !== id;
      a.open = a.id === id;
    });
    one("#no-answer").hidden = $(".answer").some(function (a) { return !a.hidden; });
    return one("#no-answer").hidden ? "#" + id : "";
  }
  function choose(id) {
    var parts = /^answer-(.+)-(nothing|duplicate|damage)(?:-(yes|no))?$/.exec(id);
    var wanted = parts ? { have: parts[1], "if-two": parts[2], tokens: parts[3] } : {};
    if (!wanted.tokens || chosen("tokens") !== wanted.tokens) { // else a kind of resource is chosen already
      $("#questions input[name=tokens]").forEach(function (i) { i.checked = i.value === wanted.tokens; });
    }
    $("#questions input:not([name=tokens])").forEach(function (i) { i.checked = i.value === wanted[i.name]; });
    answer();
    if (parts) one("#told").scrollIntoView({ block: "nearest" });
  }

  // A fault that can last long can be short, too.
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
      $("[data-kinds]", row).forEach(function (set) {
        var meets = set.dataset.kinds.split(" ").every(function (k) { return !k || ticked.indexOf(k) >= 0; });
        var counts = ways[set.closest("td").dataset.way].checked;
        set.classList.toggle("meets", meets && counts);
        broken = broken || meets && counts;
      });
      $("details", row).forEach(function (d) { d.open = !!d.querySelector(".meets"); });
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
    if (/^#answer-/.test(location.hash)) {
      choose(location.hash.slice(1));
      return;
    }
    if (found) {
      one("#exactly").open = true;
      var wanted = found[1].split(","), but = (found[2] || "").split(","), not = (found[3] || "").split(",");
      boxes.forEach(function (b) { b.checked = wanted.indexOf(b.value) >= 0; });
      ways.forEach(function (w) { w.checked = but.indexOf(w.value) < 0; });
      stores.forEach(function (s) { s.checked = not.indexOf(s.value) < 0; });
      show();
      return;
    }
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var story = target && target.closest("details");
    if (!story) return;
    for (; story; story = story.parentElement.closest("details")) story.open = true; // each is in a fold
    target.scrollIntoView();
  }

  one("#ticks").addEventListener("change", function (e) {
    withShort(e.target);
    history.replaceState(null, "", show());
  });
  one("#questions").addEventListener("change", function () {
    history.replaceState(null, "", answer() || location.pathname + location.search);
  });
  one(".presets").addEventListener("click", function (e) {
    var kinds = e.target.dataset.kinds, all = e.target.dataset.stores;
    if (!kinds) return;
    boxes.forEach(function (b) { b.checked = kinds.split(" ").indexOf(b.value) >= 0; });
    stores.forEach(function (s) { s.checked = all.split(" ").indexOf(s.value) >= 0; });
    history.replaceState(null, "", show());
  });
  addEventListener("hashchange", fromAddress);
  answer();
  show();
  fromAddress();
})();
