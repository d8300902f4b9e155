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
    if (link) open(); // the address does not change when it is followed again
  });
  open();
})();
