// What arrives shows up without a reload. One stream of changes serves all tabs of a browser: a browser opens few
// connections to one server, and each tab's own would freeze the seventh. The tab that holds the lock listens, and tells
// the others. A tab that hears of a change loads its page anew, and takes over what is different in its lists.
{
  const meta = find("meta[name=changes]");
  const link = find("#link");
  const pause = 1000;

  // MARK: The page

  const key = (row) =>
    row.querySelector("input[type=checkbox]")?.name ?? row.querySelector("a")?.getAttribute("href") ?? row.textContent;

  const replace = (old, now) => {
    const controls = [...old.querySelectorAll("a, button, input")];
    const focus = controls.indexOf(document.activeElement);
    const checked = controls.map((control) => control.checked);
    old.replaceWith(now);
    const fresh = [...now.querySelectorAll("a, button, input")];
    fresh.forEach((control, index) => { if (checked[index]) control.checked = true; });
    if (focus >= 0) fresh[focus]?.focus();
  };

  // Rows stay where nothing changed, with their focus and their selection. `names` gets those that are new.
  const merge = (old, now, names) => {
    const known = new Map([...old.children].map((row, index) => [key(row), { row, index }]));
    // The sections that follow: what was pushed out of the first one is in the next.
    const chunks = [...old.parentElement.querySelectorAll("ul.chunk")];
    const later = new Map(chunks.flatMap((chunk) => [...chunk.children]).map((row) => [key(row), row]));
    let place = old.firstElementChild, last = -1;
    for (const row of [...now.children]) {
      const { row: before, index } = known.get(key(row)) ?? {};
      known.delete(key(row));
      last = Math.max(last, index ?? -1);
      if (before && before === place) place = place.nextElementSibling;
      if (before?.isEqualNode(row)) {
        if (before.nextElementSibling !== place) old.insertBefore(before, place);
        continue;
      }
      const moved = later.get(key(row));
      moved?.remove();
      const mine = document.adoptNode(row);
      mine.classList.add("arrived");
      mine.addEventListener("animationend", () => mine.classList.remove("arrived"), { once: true });
      if (before) replace(before, mine);
      if (!before || mine.nextElementSibling !== place) old.insertBefore(mine, place);
      if (!before && !moved) names.push(mine.querySelector(".name")?.innerText ?? "");
    }
    const left = [...known.values()];
    chunks[0]?.prepend(...left.filter(({ index }) => index > last).map(({ row }) => row));
    for (const { row } of left) if (row.parentElement === old) row.remove();
  };

  const show = (fresh) => {
    const token = find("meta[name=csrf]")?.content;
    // Every answer masks the token of forms anew; it is the same one.
    for (const field of fresh.querySelectorAll("input[name=csrf]")) field.setAttribute("value", token);
    const names = [];
    for (const old of document.querySelectorAll("[data-live]")) {
      const now = fresh.querySelector(`[data-live="${old.dataset.live}"]`);
      if (!now || !old.isConnected) continue;
      for (const addition of additions) addition(now);
      const [oldRows, newRows] = [old, now].map((region) => region.querySelector("ul.rows"));
      if (oldRows && newRows) merge(oldRows, newRows, names);
      else if (!old.isEqualNode(now) && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(now));
    }
    if (names.length > 0) link.querySelector(".hidden").textContent = names.slice(0, 5).join(", ");
  };

  // MARK: Loading it anew

  let last = meta?.content;
  let isRunning = false, isStale = false;

  const say = (state) => {
    link.dataset.state = state;
    link.querySelector("p").textContent = link.dataset[state] ?? "";
  };

  const refresh = () => {
    isStale = true;
    if (isRunning || document.hidden) return;
    [isRunning, isStale] = [true, false];
    const address = new URL(location);
    for (const name of ["done", "undo"]) address.searchParams.delete(name);
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.addEventListener("loadend", () => {
      if (new URL(request.responseURL || location).pathname === "/sign-in") say("out");
      else if (request.status === 200 && request.response) show(request.response);
      // What changes without cease is shown once a second.
      setTimeout(() => {
        isRunning = false;
        if (isStale) refresh();
      }, pause);
    });
    request.send();
  };

  // MARK: The stream

  let channel = null, source = null, letGo = null, waiting = null;

  const heard = ({ cursor, gone }) => {
    if (cursor === last) return;
    last = cursor;
    // Also from the sections that are not loaded anew.
    if (gone) document.querySelector(`.chunk > [data-key="${gone}"]`)?.remove();
    refresh();
  };

  const listen = () => {
    source = new EventSource(`/library/events?since=${last}`);
    source.addEventListener("change", (event) => {
      const item = JSON.parse(event.data);
      const news = { cursor: event.lastEventId, gone: item.is_deleted && `${item.type}-${item.id}` };
      channel?.postMessage(news);
      heard(news);
    });
    source.addEventListener("open", () => {
      clearTimeout(waiting);
      if (link.dataset.state) {
        say("");
        refresh();
      }
    });
    source.addEventListener("error", () => {
      const isOver = source.readyState === EventSource.CLOSED;
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (link.dataset.state !== "out") say("lost");
        if (!isOver) return;
        // The session ended, or the cursor is of another time: the page knows.
        refresh();
        if (link.dataset.state !== "out") {
          source?.close();
          waiting = setTimeout(() => { if (source) listen(); }, 5000);
        }
      }, 2000);
    });
  };

  const start = () => {
    if (!navigator.locks) return listen();
    const name = `fundmail-${meta.dataset.user}`;
    channel = new BroadcastChannel(name);
    channel.addEventListener("message", ({ data }) => {
      if (data.cursor) heard(data);
      else if (source) channel.postMessage({ cursor: last });
    });
    // What the listening tab heard before this one could.
    channel.postMessage({ asks: true });
    const ended = new AbortController();
    const held = new Promise((resolve) => {
      letGo = () => {
        ended.abort();
        resolve();
      };
    });
    navigator.locks.request(name, { signal: ended.signal }, () => {
      listen();
      return held;
    }).catch(() => { /* the page was left before its turn */ });
  };

  const stop = () => {
    letGo?.();
    source?.close();
    channel?.close();
    clearTimeout(waiting);
    [channel, source, letGo] = [null, null, null];
  };

  if (last && link) {
    start();
    document.addEventListener("visibilitychange", () => { if (!document.hidden && isStale) refresh(); });
    // A page with an open stream is not kept for Back.
    addEventListener("pagehide", stop);
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      start();
      refresh();
    });
  }
}
