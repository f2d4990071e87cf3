// Sends a large file so that what has come stays when the line is cut: draft-ietf-httpbis-resumable-upload-12. What the
// tab knows of an upload outlives the page: the same file, chosen again, goes on where it was.
const pause = (seconds, signal) => new Promise((resolve) => {
  if (signal?.aborted) return resolve();
  const woken = new AbortController();
  const wake = () => {
    clearTimeout(timer);
    woken.abort();
    resolve();
  };
  const timer = setTimeout(wake, seconds * 1000);
  addEventListener("online", wake, { signal: woken.signal });
  signal?.addEventListener("abort", wake, { signal: woken.signal });
});

// In a row, without one more byte on the server. The pauses between them are at most ten minutes.
const maxFailures = 24;
// An upload that begins anew, a line that is cut, and a server or proxy that cannot answer now.
const passing = [0, 404, 408, 429, 500, 502, 503, 504];
// Milliseconds without a byte or an answer after which a request is given up.
const patience = 90_000;
const inUse = new Set();

// Of files with one name, size and time, which one it is, as far as some of its bytes tell.
const pieces = 64, pieceBytes = 4096;
const fingerprint = async (file) => {
  let sum = 0x811c9dc5;
  for (let piece = 0; piece < pieces; piece += 1) {
    const start = Math.floor(piece * Math.max(file.size - pieceBytes, 0) / (pieces - 1));
    for (const byte of new Uint8Array(await file.slice(start, start + pieceBytes).arrayBuffer())) {
      sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
    }
  }
  return sum.toString(16);
};

// The last answer: of the file, or of what another try does not mend.
// - came: is told how many bytes the server has, or are on their way.
// - wait: is told whether it waits for the server.
// - memory: gives the storage of the tab to a function; where the browser keeps nothing, the next page begins anew.
export const sendInPieces = async ({ file, address, type, signal, came, wait, ask, isOut, renew, words, memory }) => {
  const changed = { status: 400, responseText: JSON.stringify({ detail: words.changed }) };
  let print;
  try { print = await fingerprint(file); } catch { return changed; }
  const name = `upload ${address} ${file.size} ${file.lastModified} ${print}`;
  const isAlone = !inUse.has(name);
  inUse.add(name);
  let upload = isAlone ? memory((kept) => kept.getItem(name)) : null;
  const remember = (text) => {
    upload = text;
    if (isAlone) memory((kept) => (text ? kept.setItem(name, text) : kept.removeItem(name)));
  };

  // Ends by itself when nothing comes or goes for long: a line may die without a word.
  const request = async (method, address, fields, body, told) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    let timer = setTimeout(end, patience);
    const hear = (count) => {
      clearTimeout(timer);
      timer = setTimeout(end, patience);
      told?.(count);
    };
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const answer = await ask(method, address, fields, body, stop.signal, hear);
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    return answer;
  };

  // Takes away what the server has of it, as soon as the server answers.
  const remove = async (upload) => {
    for (let failures = 0; failures < maxFailures; failures += 1) {
      const answer = await ask("DELETE", upload, {}, null);
      if (!passing.includes(answer.status) || answer.status === 404) return answer;
      await pause(Math.min(2 ** failures, 30));
    }
    return { status: 0 };
  };

  const begin = async () => {
    const fields = { "Content-Type": type, "Upload-Complete": "?0", "Upload-Length": file.size };
    // Not cut off when it is cancelled: what it has begun would stay.
    const sent = ask("POST", address, fields, null);
    const answer = await Promise.race([sent, new Promise((resolve) => {
      const end = () => resolve({ status: 0 });
      setTimeout(end, patience);
      signal.addEventListener("abort", end, { once: true });
    })]);
    if (answer.status === 201) remember(answer.getResponseHeader("Location"));
    else sent.then((late) => { if (late.status === 201) remove(late.getResponseHeader("Location")); });
    return answer;
  };

  // Gives what stays the last word of the server: it may have become a file already.
  const giveUp = async (answer) => {
    const former = upload;
    remember(null);
    if (!former) return answer;
    const removed = remove(former);
    const last = await Promise.race([removed, pause(5)]);
    const isFile = last?.status === 204 && last.getResponseHeader("Upload-Complete") === "?1";
    return isFile ? { status: 201 } : answer;
  };

  // One attempt at all that is missing: its answer, and where it began.
  const attempt = async () => {
    let offset = 0;
    if (upload) {
      const answer = await request("HEAD", upload, {}, null);
      if (answer.status !== 200 || isOut(answer)) return { answer };
      offset = Number(answer.getResponseHeader("Upload-Offset"));
    } else {
      const answer = await begin();
      if (!upload) return { answer };
    }
    const fields = { "Content-Type": "application/partial-upload", "Upload-Offset": offset, "Upload-Complete": "?1" };
    const rest = offset < file.size ? file.slice(offset) : null;
    came(offset);
    wait(false);
    return { offset, answer: await request("PATCH", upload, fields, rest, (count) => came(offset + count)) };
  };

  try {
    let failures = 0, reached = 0, isRenewed = false;
    while (true) {
      const { answer, offset } = await attempt();
      const header = (name) => (answer.status === 0 ? null : answer.getResponseHeader(name));
      const isGone = answer.status === 404 || header("Upload-Complete") === "?1" && header("Upload-Offset") === null;
      const wasBegun = upload !== null;
      if (isGone || answer.status === 201) {
        remember(null);
        reached = 0;
      }
      if (answer.status === 201) return answer;
      if (signal.aborted) return await giveUp(answer);
      // The form's token is of a session before.
      if (answer.status === 403 && !isRenewed) {
        isRenewed = true;
        await renew();
        continue;
      }
      // Who signs in anew, or makes room, goes on with it.
      if (isOut(answer) || answer.status === 403 || answer.status === 507) return answer;
      // The server has another offset than was thought.
      const isLate = answer.status === 409 && header("Upload-Offset") !== null;
      if (!passing.includes(answer.status) && !isLate || answer.status === 404 && !wasBegun) return await giveUp(answer);
      if (offset > reached) [failures, reached] = [0, offset];
      failures += 1;
      if (failures > maxFailures) return answer;
      // A file that was changed or is gone cannot be read any more.
      try { await file.slice(0, 1).arrayBuffer(); } catch { return await giveUp(changed); }
      if (!isLate) wait(true);
      const usual = Math.min(2 ** (failures - 1), 30) * (0.5 + Math.random() / 2);
      await pause(Math.min(Number(header("Retry-After")) || usual, 120), signal);
    }
  } finally {
    if (isAlone) inUse.delete(name);
  }
};
