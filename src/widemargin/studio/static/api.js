// Requests, which are repeated until they arrive, and the socket, which is opened again.

export const here = {
  window: newName(),
  who: localStorage.getItem("who") || "",
};

export function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function read(answer) {
  if (answer.ok) {
    if (answer.status === 204) return null;
    const kind = answer.headers.get("content-type");
    return kind.includes("json") ? answer.json() : answer.arrayBuffer();
  }
  let text = `The answer was ${answer.status}.`;
  try { text = (await answer.json()).problem; } catch { /* no JSON */ }
  throw new Refused(answer.status, text);
}

export async function get(path) {
  return read(await fetch(path));
}

export async function post(path, body = {}) {
  const data = { method: "POST", body: JSON.stringify(body) };
  return read(await fetch(path, { ...data, headers: { "Content-Type": "application/json" } }));
}

// Actions wait for each other. One that does not arrive is sent again under the same name,
// which the store takes once.
let last = Promise.resolve();
let nWaiting = 0;
export const isWaiting = () => nWaiting > 0;
export function act(kind, body, onTrouble) {
  const sent = { kind, batch: newName(), who: here.who, window: here.window, ...body };
  const work = async () => {
    for (;;) {
      try {
        return await post("/api/act", sent);
      } catch (error) {
        if (error instanceof Refused) throw error;
        onTrouble();
        await pause(700);
      }
    }
  };
  nWaiting += 1;
  const done = last.then(work).finally(() => { nWaiting -= 1; });
  last = done.catch(() => {});
  return done;
}

export function listen(handlers) {
  let wait = 250;
  const open = () => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      wait = 250;
      socket.send(JSON.stringify({ window: here.window, who: here.who }));
      handlers.open();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        const facts = JSON.parse(data);
        handlers[facts.type](facts);
      } else handlers.colors(data);
    };
    socket.onclose = () => {
      if (handlers.closed()) { // the program was stopped here; perhaps it is started again
        window.addEventListener("focus", open, { once: true });
        return;
      }
      setTimeout(open, wait);
      wait = Math.min(2 * wait, 4000);
    };
  };
  open();
}
