// The tray of uploads: two files at a time, with progress and cancel; one request for each, but for large ones. What came
// is a link, and stays in the tray on the next pages until it is closed.
export const makeTray = (form, { make, find, load, ownAddress, keptName, memory }) => {
  const kept = JSON.parse(memory((store) => store.getItem(keptName)) ?? "null");
  const words = form ? { ...form.dataset } : kept.words;
  let token = find("meta[name=csrf]").content;
  const waiting = [], entries = [];
  let running = 0, open = 0;
  // From so many bytes on, what has come stays when the line is cut.
  const large = 4 << 20;

  const [tray, summary, list, close] = ["details", "summary", "ul", "button"].map((name) => make(name));
  tray.className = "tray";
  list.setAttribute("aria-label", words.files);
  Object.assign(close, { type: "button", className: "quiet", textContent: words.close });
  close.addEventListener("click", () => {
    entries.length = 0;
    list.replaceChildren();
    tell();
  });
  tray.append(summary, list, close);

  // What the summary says, and what the next page is to know.
  const tell = () => {
    const count = (state) => entries.filter((entry) => entry.state === state).length;
    const fill = (text, ...values) => text.replace(/\{(\d)\}/g, (_, index) => values[index]);
    const [sent, failed] = [count("done"), count("failed")];
    summary.textContent = open > 0 ? fill(words.sending, sent + failed + 1 > entries.length ? entries.length : sent + failed + 1, entries.length)
      : failed > 0 ? fill(words.unsent, failed, entries.length) : fill(words.sent, sent);
    close.hidden = open > 0;
    if (entries.length === 0) tray.remove();
    else if (!tray.isConnected) find("main").append(tray);
    const lines = entries.map(({ name, state, text, id }) => ({ name, state, text, id }));
    memory((store) => (lines.length > 0 ? store.setItem(keptName, JSON.stringify({ words, lines })) : store.removeItem(keptName)));
  };

  const line = (name) => {
    const [item, label, bar] = ["li", "bdi", "progress"].map((one) => make(one));
    const dot = name.lastIndexOf(".");
    const [stem, ending] = ["span", "span"].map((one) => make(one));
    stem.textContent = dot > 0 ? name.slice(0, dot) : name;
    ending.textContent = dot > 0 ? name.slice(dot) : "";
    label.className = "file";
    label.title = name;
    label.append(stem, ending);
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", name);
    item.append(label, bar);
    list.append(item);
    const entry = { item, bar, label, name, state: "waiting", text: "" };
    entries.push(entry);
    return entry;
  };

  const button = (text, act) => {
    const button = make("button");
    button.type = "button";
    button.textContent = text;
    // A second click on what the first has begun would begin it twice.
    button.addEventListener("click", act, { once: true });
    return button;
  };

  const say = (entry, text, ...buttons) => {
    const status = make("span");
    status.setAttribute("role", "status");
    status.textContent = text;
    const hadFocus = entry.item.contains(document.activeElement);
    entry.item.replaceChildren(entry.item.firstChild, status, ...buttons);
    // The next thing to decide, for who decides by keyboard.
    if (hadFocus) (buttons[0] ?? list.querySelector("button, a") ?? summary).focus();
  };

  // What came is a link from now on.
  const finish = (entry, id) => {
    Object.assign(entry, { state: "done", id });
    if (!id) return say(entry, words.done);
    const link = make("a");
    link.href = `/library/files/${id}`;
    link.className = "file";
    link.append(...entry.label.childNodes);
    entry.label.replaceChildren(link);
    entry.label.className = "";
    say(entry, words.done);
  };

  const end = () => {
    open -= 1;
    tell();
    // The list has what came, also where no stream tells of it.
    if (open === 0) dispatchEvent(new Event("stale"));
  };

  // What to do with names that are taken: `asked` has those that wait for an answer, `rule` an answer for all.
  const asked = new Map();
  let rule = null;
  const forAll = { item: make("li") };
  forAll.item.append(make("b"));

  const decide = (entry, how) => {
    const work = asked.get(entry);
    asked.delete(entry);
    if (how === "skip") {
      entry.state = "skipped";
      say(entry, words.skipped);
      end();
    } else again({ ...work, taken: how }, entry);
    if (asked.size === 0) forAll.item.remove();
  };

  const choices = (act) => ["number", "replace", "skip"].map((how) => button(words[how], () => act(how)));

  const choose = (work, entry, detail) => {
    asked.set(entry, work);
    if (rule) return decide(entry, rule);
    // It waits for an answer, which one must see.
    tray.open = true;
    say(entry, detail, ...choices((how) => decide(entry, how)));
    if (forAll.item.isConnected || open < 2) return;
    list.prepend(forAll.item);
    say(forAll, words.all, ...choices((how) => {
      rule = how;
      for (const other of [...asked.keys()]) decide(other, how);
    }));
  };

  const again = (work, entry) => {
    const isRunning = entry.item.contains(document.activeElement);
    entry.item.replaceChildren(entry.item.firstChild, entry.bar);
    entry.bar.value = 0;
    entry.state = "waiting";
    waiting.push([work, entry]);
    next();
    if (isRunning) list.querySelector("button")?.focus();
  };

  // Who has signed in anew meanwhile has another token.
  const renew = async () => {
    const { page } = await load(ownAddress());
    token = page?.querySelector("meta[name=csrf]")?.content ?? token;
  };

  const fail = (work, entry, text) => {
    Object.assign(entry, { state: "failed", text });
    tray.open = true;
    say(entry, text, button(words.again, () => {
      open += 1;
      renew().then(() => again(work, entry));
    }));
    end();
  };

  // The answer to one request, whatever it is; of the bytes that are sent `came` is told.
  const ask = (method, address, fields, body, signal, came) => new Promise((resolve) => {
    if (signal?.aborted) return resolve({ status: 0 });
    const request = new XMLHttpRequest();
    request.open(method, address);
    for (const [name, value] of Object.entries({ ...fields, "X-Form-Token": token, Accept: "application/json" })) {
      request.setRequestHeader(name, value);
    }
    if (came) request.upload.addEventListener("progress", (event) => came(event.loaded));
    request.addEventListener("loadend", () => resolve(request));
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });

  const isOut = (answer) => answer.status === 401
    || Boolean(answer.responseURL) && new URL(answer.responseURL).pathname === "/sign-in";

  const sendWhole = ({ file, address, type, signal, came, ask }) =>
    ask("POST", address, { "Content-Type": type }, file, signal, came);

  // The whole at once where the module cannot be had: after an update it has another address.
  const sender = async (file) => {
    if (file.size < large) return sendWhole;
    return import("./pieces.js").then((module) => module.sendInPieces, () => sendWhole);
  };

  const send = async (work, entry) => {
    const { file, taken } = work;
    running += 1;
    entry.state = "running";
    tell();
    const address = new URL(work.address);
    address.searchParams.set("name", file.name);
    address.searchParams.set("if_taken", taken);
    address.searchParams.set("modified_at", Math.floor(file.lastModified / 1000));
    const stop = new AbortController();
    const cancel = button(words.cancel, () => stop.abort());
    entry.item.append(cancel);
    const came = (count) => { entry.bar.value = file.size ? count / file.size : 1; };
    const wait = (isDown) => {
      if (isDown) return say(entry, words.waiting, cancel);
      const hadFocus = document.activeElement === cancel;
      entry.item.replaceChildren(entry.item.firstChild, entry.bar, cancel);
      if (hadFocus) cancel.focus();
    };
    const type = file.type || "application/octet-stream";
    const way = await sender(file);
    const answer = await way({ file, address, type, signal: stop.signal, came, wait, ask, isOut, renew, words, memory });
    running -= 1;
    let said = {};
    try { said = JSON.parse(answer.responseText); } catch { /* no JSON: the words of the page */ }
    const detail = said.detail || words.failed;
    if (answer.status === 201) {
      finish(entry, said.id);
      end();
    } else if (stop.signal.aborted) fail(work, entry, words.cancelled);
    else if (answer.status === 409) choose(work, entry, detail);
    else if (answer.status === 0) fail(work, entry, words.lost);
    else fail(work, entry, isOut(answer) ? words.out : detail);
    next();
  };

  const next = () => {
    while (running < 2 && waiting.length > 0) send(...waiting.shift());
  };

  const add = (files, address) => {
    if (open === 0) {
      rule = null;
      entries.length = 0;
      list.replaceChildren();
      tray.open = innerWidth >= 600;
    }
    for (const file of files) {
      open += 1;
      waiting.push([{ file, address, taken: "refuse" }, line(file.name)]);
    }
    next();
    tell();
  };

  // What the page before knew. What it had not sent yet is not sent any more.
  for (const { name, state, text, id } of kept?.lines ?? []) {
    const entry = line(name);
    entry.bar.remove();
    if (state === "done") finish(entry, id);
    else {
      entry.state = state === "skipped" ? state : "failed";
      entry.text = state === "failed" ? text : state === "skipped" ? words.skipped : words.left;
      say(entry, entry.text);
    }
  }
  tell();
  addEventListener("beforeunload", (event) => { if (open > 0 && (running > 0 || waiting.length > 0)) event.preventDefault(); });
  return { add };
};
