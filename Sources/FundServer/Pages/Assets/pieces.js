// Sends a large file so that what has come stays when the line is cut: draft-ietf-httpbis-resumable-upload-12. What the
// tab knows of an upload outlives the page: the same file, chosen again, goes on where it was.
const pause = (seconds, signal) => new Promise((resolve) => {
  if (signal.aborted) return resolve();
  const woken = new AbortController();
  const wake = () => {
    clearTimeout(timer);
    woken.abort();
    resolve();
  };
  const timer = setTimeout(wake, seconds * 1000);
  addEventListener("online", wake, { signal: woken.signal });
  signal.addEventListener("abort", wake, { signal: woken.signal });
});

// In a row, without one more byte on the server. The pauses between them are at most ten minutes.
const maxFailures = 24;
// An upload that begins anew, a line that is cut, and a server or proxy that cannot answer now.
const passing = [0, 404, 408, 429, 500, 502, 503, 504];
const inUse = new Set();

// Where the browser keeps nothing, the next page begins anew.
const memory = (act) => {
  try { return act(sessionStorage); } catch { return null; }
};

// The last answer: of the file, or of what another try does not mend.
// - came: is told how many bytes the server has, or are on their way.
// - wait: is told whether it waits for the server.
export const sendInPieces = async ({ file, address, type, signal, came, wait, ask, isOut }) => {
  const name = `upload ${address} ${file.size} ${file.lastModified}`;
  const isAlone = !inUse.has(name);
  inUse.add(name);
  let upload = isAlone ? memory((kept) => kept.getItem(name)) : null;
  const remember = (text) => {
    upload = text;
    if (isAlone) memory((kept) => (text ? kept.setItem(name, text) : kept.removeItem(name)));
  };

  const begin = async () => {
    const fields = { "Content-Type": type, "Upload-Complete": "?0", "Upload-Length": file.size };
    const answer = await ask("POST", address, fields, null, signal);
    if (answer.status === 201) remember(answer.getResponseHeader("Location"));
    return answer;
  };

  const giveUp = () => {
    if (upload) ask("DELETE", upload, {}, null);
    remember(null);
  };

  // One attempt at all that is missing: its answer, and where it began.
  const attempt = async () => {
    let offset = 0;
    if (upload) {
      const answer = await ask("HEAD", upload, {}, null, signal);
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
    return { offset, answer: await ask("PATCH", upload, fields, rest, signal, (count) => came(offset + count)) };
  };

  try {
    let failures = 0, reached = 0;
    while (true) {
      const { answer, offset } = await attempt();
      if (signal.aborted) {
        giveUp();
        return answer;
      }
      const header = (name) => (answer.status === 0 ? null : answer.getResponseHeader(name));
      // Of this upload, or a form's token of another session: signing in or trying again goes on with it.
      if (isOut(answer) || answer.status === 403 || answer.status === 507) return answer;
      const isGone = answer.status === 404 || header("Upload-Complete") === "?1" && header("Upload-Offset") === null;
      const wasBegun = upload !== null;
      if (isGone || answer.status === 201) {
        remember(null);
        reached = 0;
      }
      // The server has another offset than was thought.
      const isLate = answer.status === 409 && header("Upload-Offset") !== null;
      if (!passing.includes(answer.status) && !isLate || answer.status === 404 && !wasBegun) {
        giveUp();
        return answer;
      }
      if (offset > reached) [failures, reached] = [0, offset];
      failures += 1;
      if (failures > maxFailures) return answer;
      // A file that was changed or is gone cannot be read any more.
      try { await file.slice(0, 1).arrayBuffer(); } catch {
        giveUp();
        return { status: 400 };
      }
      if (!isLate) wait(true);
      const usual = Math.min(2 ** (failures - 1), 30) * (0.5 + Math.random() / 2);
      await pause(Math.min(Number(header("Retry-After")) || usual, 120), signal);
    }
  } finally {
    if (isAlone) inUse.delete(name);
  }
};
