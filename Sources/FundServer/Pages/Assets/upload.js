// Uploads: two files at a time, with progress and cancel; one request for each, but for large ones.
{
  const upload = find("form[data-upload]");
  if (upload) {
    let token = find("meta[name=csrf]").content;
    const list = make("ul");
    list.className = "tray";
    list.setAttribute("aria-label", upload.querySelector("label").textContent);
    const waiting = [];
    let running = 0, finished = 0, failed = 0, open = 0;
    // From so many bytes on, what has come stays when the line is cut.
    const large = 4 << 20;

    const line = (file) => {
      const item = make("li");
      const name = make("bdi");
      name.textContent = file.name;
      const bar = make("progress");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", file.name);
      item.append(name, bar);
      list.append(item);
      return { item, bar };
    };

    const button = (text, act) => {
      const button = make("button");
      button.type = "button";
      button.textContent = text;
      // A second click on what the first has begun would begin it twice.
      button.addEventListener("click", act, { once: true });
      return button;
    };

    const words = upload.dataset;

    const say = (entry, text, ...buttons) => {
      const status = make("span");
      status.setAttribute("role", "status");
      status.textContent = text;
      const hadFocus = entry.item.contains(document.activeElement);
      entry.item.replaceChildren(entry.item.firstChild, status, ...buttons);
      // The next thing to decide, for who decides by keyboard.
      if (hadFocus) (buttons[0] ?? list.querySelector("button"))?.focus();
    };

    // The list is shown anew when all is there; what failed stays to be read.
    const end = () => {
      open -= 1;
      if (open > 0 || finished === 0 || failed > 0) return;
      const page = new URL(location);
      for (const name of ["done", "undo"]) page.searchParams.delete(name);
      location.assign(page);
    };

    // What to do with names that are taken: `asked` has those that wait for an answer, `rule` an answer for all.
    const asked = new Map();
    let rule = null;
    const forAll = { item: make("li") };
    forAll.item.append(make("b"));

    const decide = (entry, how) => {
      const file = asked.get(entry);
      asked.delete(entry);
      if (how === "skip") {
        say(entry, words.skipped);
        end();
      } else again(file, how, entry);
      if (asked.size === 0) forAll.item.remove();
    };

    const choices = (act) => ["number", "replace", "skip"].map((how) => button(words[how], () => act(how)));

    const choose = (file, entry, detail) => {
      asked.set(entry, file);
      if (rule) return decide(entry, rule);
      say(entry, detail, ...choices((how) => decide(entry, how)));
      if (forAll.item.isConnected || open < 2) return;
      list.prepend(forAll.item);
      say(forAll, words.all, ...choices((how) => {
        rule = how;
        for (const other of [...asked.keys()]) decide(other, how);
      }));
    };

    const again = (file, taken, entry) => {
      const isRunning = entry.item.contains(document.activeElement);
      entry.item.replaceChildren(entry.item.firstChild, entry.bar);
      entry.bar.value = 0;
      waiting.push([file, taken, entry]);
      next();
      if (isRunning) list.querySelector("button")?.focus();
    };

    // Who has signed in anew meanwhile has another token.
    const renew = () => new Promise((then) => {
      const request = new XMLHttpRequest();
      request.open("GET", location);
      request.responseType = "document";
      request.addEventListener("loadend", () => {
        token = request.response?.querySelector("meta[name=csrf]")?.content ?? token;
        then();
      });
      request.send();
    });

    const fail = (file, taken, entry, text) => {
      failed += 1;
      say(entry, text, button(words.again, () => {
        [failed, open] = [failed - 1, open + 1];
        renew().then(() => again(file, taken, entry));
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

    const send = async (file, taken, entry) => {
      running += 1;
      const address = new URL(upload.action);
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
      const answer = await way({ file, address, type, signal: stop.signal, came, wait, ask, isOut, renew, words });
      running -= 1;
      let detail = words.failed;
      try { detail = JSON.parse(answer.responseText).detail || detail; } catch { /* no JSON: the words above */ }
      if (answer.status === 201) {
        finished += 1;
        say(entry, words.done);
        end();
      } else if (stop.signal.aborted) fail(file, taken, entry, words.cancelled);
      else if (answer.status === 409) choose(file, entry, detail);
      else if (answer.status === 0) fail(file, taken, entry, words.lost);
      else fail(file, taken, entry, isOut(answer) ? words.out : detail);
      next();
    };

    const next = () => {
      while (running < 2 && waiting.length > 0) send(...waiting.shift());
    };

    const add = (files) => {
      find("main").append(list);
      if (open === 0) rule = null;
      for (const file of files) {
        open += 1;
        waiting.push([file, "refuse", line(file)]);
      }
      next();
    };

    // What is chosen is sent at once; without scripts a button does.
    const input = upload.querySelector("input[type=file]");
    upload.querySelector("button").hidden = true;
    upload.addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("change", () => {
      upload.closest("[popover]")?.hidePopover();
      add(input.files);
      input.value = "";
    });
    const shelf = find(".list");
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      shelf.classList.add("over");
    });
    addEventListener("dragleave", () => shelf.classList.remove("over"));
    addEventListener("drop", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      shelf.classList.remove("over");
      add(event.dataTransfer.files);
    });
    // What is not sent yet would not be sent.
    addEventListener("beforeunload", (event) => { if (open > 0 && (running > 0 || waiting.length > 0)) event.preventDefault(); });
  }
}
