// Lists in sections: further ones are fetched ahead of the scroll and kept. And where one was in a list, for Back where
// the browser does not keep the page itself, and for the list that is shown again after an act.
{
  // A chunk that is out of sight is not laid out; see app.css.
  const chunkRows = 50, requestRows = 500;
  const lists = () => findAll("ul[data-rows]");
  let loading = null;

  // `section` is where the rows come from, for live.js.
  const append = async (rows, section) => {
    const first = lists()[0];
    if (!first) return;
    // A row that moved up since is here already.
    const keys = new Set([...findAll("li[data-key]")].map((row) => row.dataset.key));
    rows = rows.filter((row) => !keys.has(row.dataset.key));
    for (let start = 0; start < rows.length; start += chunkRows) {
      const chunk = make("ul");
      chunk.className = `${first.className} chunk`;
      chunk.dataset.rows = "";
      chunk.dataset.section = section;
      chunk.setAttribute("aria-label", first.getAttribute("aria-label"));
      chunk.append(...rows.slice(start, start + chunkRows));
      [...lists()].at(-1).after(chunk);
      for (const addition of additions) addition(chunk);
      // What one does meanwhile comes first.
      await new Promise((resolve) => setTimeout(resolve));
    }
    dispatchEvent(new Event("change"));
  };

  // False at the end, and when the section cannot be had: then the link is still there.
  const more = (count) => {
    const link = paging()?.querySelector("a[rel=next]");
    if (!link) return Promise.resolve(false);
    const address = new URL(link.href);
    if (count) address.searchParams.set("rows", count);
    loading ??= load(address).then(async ({ page }) => {
      if (!page?.querySelector("ul[data-rows]")) return false;
      await append([...page.querySelectorAll("ul[data-rows] > li")], address.href);
      const next = paging(page)?.querySelector("a[rel=next]");
      if (next) link.href = next.getAttribute("href");
      else paging().remove();
      return true;
    }).catch(() => false).finally(() => { loading = null; });
    return loading;
  };

  const fill = async (enough) => {
    while (paging() && countRows() < enough && await more(requestRows)) { /* the next */ }
  };

  const ahead = new IntersectionObserver(async (entries) => {
    const entry = entries.at(-1);
    if (!entry.isIntersecting) return;
    ahead.unobserve(entry.target);
    // Observed anew it is reported anew, if it is still near.
    if (await more() && entry.target.isConnected) ahead.observe(entry.target);
  }, { rootMargin: "0px 0px 3000px 0px" });
  enhance((part) => {
    for (const link of part.querySelectorAll("[data-paging]")) ahead.observe(link);
  });

  addEventListener("click", (event) => {
    const all = event.target.closest?.("[data-paging] a[data-all]");
    if (!all || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    all.setAttribute("aria-busy", "true");
    const row = [...lists()].at(-1);
    fill(Infinity).then(() => {
      all.removeAttribute("aria-busy");
      // The link is gone with the last section: go on where the rows came in.
      if (!paging()) (row.nextElementSibling ?? row).querySelector("a")?.focus({ preventScroll: true });
    });
  });

  // Where one was.
  if (lists().length > 0) {
    const key = () => {
      const address = listAddress();
      return `list ${address.pathname}${address.search}`;
    };
    let isActing = false;
    // Not a search, not what scripts took over, and not a download: then this page stays.
    addEventListener("submit", ({ defaultPrevented, target, submitter }) => {
      const action = submitter?.getAttribute("formaction") ?? target.action;
      isActing = !defaultPrevented && target.method === "post" && !action.endsWith("/zip");
      if (!action.endsWith("/sign-out")) return;
      for (const name of Object.keys(sessionStorage)) if (name.startsWith("list ")) sessionStorage.removeItem(name);
      isActing = null;
    });
    addEventListener("pagehide", () => {
      // A list that got empty while it was looked at has no place to come back to.
      const list = lists()[0];
      if (isActing === null || !list) return;
      // By a point, since asking rows for their places would lay out all of them.
      const { left, width } = list.getBoundingClientRect(), middle = left + width / 2;
      const row = [8, 60, 120].map((y) => document.elementFromPoint(middle, y)?.closest("[data-key]")).find(Boolean);
      const place = {
        count: countRows(), scroll: scrollY, row: row?.dataset.key, offset: row?.getBoundingClientRect().top, isActing,
        chosen: [...findAll("li input:checked")].map((box) => box.name),
      };
      try { sessionStorage.setItem(key(), JSON.stringify(place)); } catch { /* full: the list begins at its top */ }
    });
    const kept = JSON.parse(sessionStorage.getItem(key()));
    sessionStorage.removeItem(key());
    const isReturn = performance.getEntriesByType("navigation")[0]?.type === "back_forward"
      || new URLSearchParams(location.search).has("done");
    if (kept && (isReturn || kept.isActing)) {
      history.scrollRestoration = "manual";
      fill(kept.count).then(() => {
        const chosen = new Set(kept.chosen);
        for (const box of findAll("li input[type=checkbox]")) if (chosen.has(box.name)) box.checked = true;
        if (chosen.size > 0) dispatchEvent(new Event("change"));
        const row = kept.row && [...findAll("[data-key]")].find((row) => row.dataset.key === kept.row);
        const scroll = () => {
          if (!row) return scrollTo({ top: kept.scroll, behavior: "instant" });
          row.scrollIntoView({ behavior: "instant", block: "start" });
          scrollBy({ top: row.getBoundingClientRect().top - kept.offset, behavior: "instant" });
        };
        scroll();
        // Chunks that come into sight get their true heights with the next frame.
        requestAnimationFrame(() => requestAnimationFrame(scroll));
        history.scrollRestoration = "auto";
      });
    }
  }
}
