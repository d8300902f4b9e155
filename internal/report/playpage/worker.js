// The simulator runs in a worker, so the page stays responsive.
"use strict";
importScripts("wasm_exec.js");

// A host may send the compressed program as it is, or unpack it. It is compiled while it arrives.
async function program() {
  var answer = await fetch("playground.wasm.gz");
  if (!answer.ok) throw new Error(answer.status + " " + answer.statusText);
  var parts = answer.body.getReader(), part = await parts.read(), packed = !part.done && part.value[0] === 0x1f && part.value[1] === 0x8b;
  var bytes = new ReadableStream({
    async pull(to) {
      if (part.done) return to.close();
      to.enqueue(part.value);
      part = await parts.read();
    }
  });
  if (packed) bytes = bytes.pipeThrough(new DecompressionStream("gzip"));
  return new Response(bytes, { headers: { "Content-Type": "application/wasm" } });
}

var go = new Go(), asked = false;
var ready = program().then(function (bytes) {
  return WebAssembly.instantiateStreaming(bytes, go.importObject);
}).then(function (made) {
  go.run(made.instance); // it defines lockstepPlay and keeps running
  // Functions are compiled at their first call: now, and not during a drag.
  if (!asked) self.lockstepPlay("{}");
  return self.lockstepPlay;
});

self.onmessage = function (e) {
  asked = true;
  ready.then(function (play) {
    self.postMessage({ id: e.data.id, frame: play(JSON.stringify(e.data.request)) });
  }).catch(function (err) { self.postMessage({ id: e.data.id, failed: String(err) }); });
};
