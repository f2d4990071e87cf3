// Fetches further sections of a list, and shows a list as it was left.
export const makeFurther = ({ make, findAll, additions, load, paging, countRows, lists }) => {
  // A chunk that is out of sight is not laid out; see app.css.
  const chunkRows = 50, requestRows = 500;
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

  // As far as it went, with what was chosen in it, and where one was.
  const resume = async (kept) => {
    await fill(kept.count);
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
  };

  return { more, fill, resume };
};
