// Sends a large file so that what has come stays when the line is cut: draft-ietf-httpbis-resumable-upload-12. What the
// tab knows of an upload outlives the page: the same file, chosen again, goes on where it was.
const pause = (milliseconds, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, milliseconds);
  for (const [target, name] of [[window, "online"], [signal, "abort"]]) {
    target.addEventListener(name, () => { clearTimeout(timer); resolve(); }, { once: true });
  }
});

// In a row, without one more byte on the server: about ten minutes.
const maxFailures = 24;
const inUse = new Set();

// The last answer: of the file, or of what cannot be mended by another try.
export const sendInPieces = async (file, address, type, signal, came, wait, ask, isOut) => {
  const name = `upload ${address} ${file.size} ${file.lastModified}`;
  const isAlone = !inUse.has(name);
  inUse.add(name);
  let upload = isAlone ? sessionStorage.getItem(name) : null;
  const remember = (text) => {
    upload = text;
    if (!isAlone) return;
    if (text) sessionStorage.setItem(name, text);
    else sessionStorage.removeItem(name);
  };

  const begin = async () => {
    const fields = { "Content-Type": type, "Upload-Complete": "?0", "Upload-Length": file.size };
    const answer = await ask("POST", address, fields, null, signal);
    if (answer.status === 201) remember(answer.getResponseHeader("Location"));
    return answer;
  };

  // Gives the answer that ends it, or how many bytes the server has by now.
  const goOn = async () => {
    let offset = 0;
    if (!upload) {
      const answer = await begin();
      if (!upload) return answer;
    } else {
      const answer = await ask("HEAD", upload, {}, null, signal);
      if (answer.status !== 200 || isOut(answer)) return answer;
      offset = Number(answer.getResponseHeader("Upload-Offset"));
    }
    const fields = { "Content-Type": "application/partial-upload", "Upload-Offset": offset, "Upload-Complete": "?1" };
    const isThere = offset >= file.size;
    const rest = isThere ? null : file.slice(offset);
    came(offset);
    wait(false);
    const answer = await ask("PATCH", upload, fields, rest, signal, (count) => came(offset + count));
    answer.offset = offset;
    return answer;
  };

  try {
    let failures = 0, reached = 0;
    while (true) {
      const answer = signal.aborted ? { status: 0 } : await goOn();
      if (signal.aborted) {
        if (upload) ask("DELETE", upload, {}, null);
        remember(null);
        return answer;
      }
      const isLate = answer.status === 409 && answer.getResponseHeader("Upload-Offset") !== null;
      const isPassing = [0, 404, 429, 500, 502, 503, 504].includes(answer.status) || isLate;
      if (answer.offset > reached) [failures, reached] = [0, answer.offset];
      failures += 1;
      if (isOut(answer) || isPassing && failures > maxFailures) return answer;
      if (!isPassing) {
        // No room: what has come may go on when there is some.
        if (answer.status !== 507) remember(null);
        return answer;
      }
      if (answer.status === 404) {
        if (!upload) return answer;
        remember(null);
      }
      // A file that was changed or is gone cannot be read any more.
      try { await file.slice(0, 1).arrayBuffer(); } catch { return { status: 400 }; }
      if (answer.status === 0) wait(true);
      await pause(Math.min(1000 * 2 ** (failures - 1), 30_000) * (0.5 + Math.random() / 2), signal);
    }
  } finally {
    if (isAlone) inUse.delete(name);
  }
};
