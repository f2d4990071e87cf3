// What happens at the desk meanwhile, and who reads what: one stream while the page is in sight.
if (find("[data-desk]")) {
  const root = find("[data-desk]");
  let source = null, version = null, readers = [], timer = null;

  desk.showReaders = () => {
    for (const place of findAll("li.row [data-readers]")) {
      const names = readers.filter((one) => String(one.message) === place.closest("li").dataset.id).map(({ name }) => name);
      place.textContent = names.length > 0 ? ` · ${names.join(", ")}` : "";
    }
    const article = find("article[data-message]");
    const place = article?.querySelector("[data-readers]");
    if (!place) return;
    place.replaceChildren(...readers.filter((one) => String(one.message) === article.dataset.message).map(({ name }) => {
      const text = make("bdi");
      text.textContent = root.dataset.reading.replace("{0}", name);
      return text;
    }));
  };

  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource("/desk/events");
    source.addEventListener("desk", (event) => {
      const news = JSON.parse(event.data);
      readers = news.readers;
      desk.showReaders();
      // The first tells what the page shows already, unless something came between both.
      if (version !== news.version && (version !== null || news.version !== root.dataset.version)) {
        clearTimeout(timer);
        timer = setTimeout(desk.refresh, 50);
      }
      version = news.version;
    });
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      stop();
      setTimeout(listen, 20_000);
    });
  };
  const stop = () => {
    source?.close();
    source = null;
  };
  listen();
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", listen);
}
