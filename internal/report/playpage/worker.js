// The simulator, beside the page and not in it: whatever it plays, the page stays quick.
"use strict";
importScripts("wasm_exec.js");

// A host may send the compressed program as it is, or unpack it on the way.
async function program() {
  var answer = await fetch("playground.wasm.gz");
  if (!answer.ok) throw new Error(answer.status + " " + answer.statusText);
  var bytes = await answer.arrayBuffer(), head = new Uint8Array(bytes, 0, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

var go = new Go();
var ready = program().then(function (bytes) {
  return WebAssembly.instantiate(bytes, go.importObject);
}).then(function (made) {
  go.run(made.instance); // it defines lockstepPlay and stays
  return self.lockstepPlay;
});

self.onmessage = function (e) {
  ready.then(function (play) {
    self.postMessage({ id: e.data.id, frame: play(JSON.stringify(e.data.request)) });
  }).catch(function (err) { self.postMessage({ id: e.data.id, failed: String(err) }); });
};
