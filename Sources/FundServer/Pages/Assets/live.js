// What arrives shows up without a reload. One stream of changes serves all tabs of a browser: a browser opens few
// connections to one server. The tab that holds the lock listens, and tells the others. A tab that hears of a change
// loads its page anew, and shows what is different: merge.js, which comes with the first change or act.
{
  const meta = find("meta[name=changes]");
  const link = find("#link");

  const say = (state) => {
    link.dataset.state = state;
    const line = link.querySelector("p");
    line.textContent = link.dataset[state] ?? "";
    if (state !== "out") return;
    const { pathname, search } = ownAddress();
    const way = make("a");
    way.href = `/sign-in?next=${encodeURIComponent(pathname + search)}`;
    way.textContent = link.dataset.signIn;
    line.append(" ", way);
  };

  // `last` is the cursor up to which this page knows of changes.
  const stream = { last: meta?.content, channel: null, source: null };
  // Versions up to which this page knows of what is in no feed of changes, and the names of their events. Numbers of
  // unread news stand in the sidebar of every page; drives and transfers are shown by few.
  const kinds = { news: "news", drives: "transfers" };
  const versions = {};
  for (const kind in kinds) versions[kind] = Number(find(`meta[name=${kind}]`)?.content ?? 0);
  const heardOf = (kind, version) => {
    if (version <= versions[kind]) return;
    versions[kind] = version;
    if (find(`meta[name=${kind}]`)) refresh();
  };
  let letGo = null, waiting = null;
  // Milliseconds until a stream that was refused is asked for again: twice as long each time, up to five minutes.
  const [leastWait, mostWait] = [5_000, 300_000];
  let wait = leastWait;

  const merging = atNeed("merge", ({ makeMerge }) => makeMerge({ ...common, meta, link, stream, say, leave }), async () => {
    // Where the server answers, and has no such script, it is another version by now.
    if ((await load(ownAddress())).page) location.reload();
    else say("lost");
  });
  const refresh = async (isUnseen = false) => (await merging())?.refresh(isUnseen);

  const heard = async (news) => {
    if (news.cursor === stream.last) return;
    stream.last = news.cursor;
    (await merging())?.heard(news);
  };

  const listen = () => {
    const known = versions.drives ? `&drives=${versions.drives}` : "";
    const source = new EventSource(`/library/events?since=${stream.last}&news=${versions.news}${known}`);
    stream.source = source;
    source.addEventListener("change", (event) => {
      const item = JSON.parse(event.data);
      const news = { cursor: event.lastEventId, key: `${item.type}-${item.id}`, isGone: item.is_deleted };
      stream.channel?.postMessage(news);
      heard(news);
    });
    for (const kind in kinds) {
      source.addEventListener(kinds[kind], ({ data }) => {
        const { version } = JSON.parse(data);
        stream.channel?.postMessage({ [kind]: version });
        heardOf(kind, version);
      });
    }
    source.addEventListener("open", () => {
      clearTimeout(waiting);
      wait = leastWait;
      if (!link.dataset.state) return;
      say("");
      refresh();
    });
    source.addEventListener("error", () => {
      clearTimeout(waiting);
      if (source.readyState !== EventSource.CLOSED) {
        // The line may be cut, or the session over: the page knows.
        waiting = setTimeout(refresh, 2000, true);
        return;
      }
      // The session ended, the cursor is of another time, or there are too many streams: the page knows.
      refresh(wait === leastWait);
      waiting = setTimeout(() => { if (stream.source) listen(); }, wait);
      wait = Math.min(2 * wait, mostWait);
    });
  };

  const start = () => {
    if (!navigator.locks) return listen();
    const name = `fundmail-${meta.dataset.user}`;
    const channel = new BroadcastChannel(name);
    stream.channel = channel;
    channel.addEventListener("message", ({ data }) => {
      for (const kind in kinds) if (data[kind]) heardOf(kind, data[kind]);
      if (data.cursor) heard(data);
      else if (data.asks && stream.source) channel.postMessage({ cursor: stream.last, ...versions });
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
    stream.source?.close();
    stream.channel?.close();
    clearTimeout(waiting);
    letGo = waiting = null;
    Object.assign(stream, { channel: null, source: null });
  };

  // The session is over: another tab, with another session, may listen.
  const leave = () => {
    stop();
    say("out");
  };

  // Something came that no stream may have told of. Where the session was over it may be back: the page knows.
  addEventListener("stale", () => {
    if (stream.last && link.dataset.state === "out") {
      say("");
      start();
    }
    refresh();
  });
  takeOver = async (page, keys) => (await merging())?.takeOver(page, keys);

  if (stream.last && link) {
    start();
    // A page with an open stream is not kept for Back.
    addEventListener("pagehide", stop);
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      start();
      refresh();
    });
  }
}
