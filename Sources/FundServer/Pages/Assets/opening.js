// What is opened beside its list. On a wide window its region alone is fetched and shown, by detail.js, which comes with
// the first one; on a narrow one it is a page of its own.
{
  const isWide = matchMedia("(width >= 900px)");

  // The row of what is opened is marked, also where rows are shown anew.
  const markRow = (part = document) => {
    const open = new URL(location).searchParams.get("open");
    const isOpen = (link) => open && new URL(link.href).searchParams.get("open") === open;
    for (const link of part.querySelectorAll("a.name[aria-current]")) if (!isOpen(link)) link.removeAttribute("aria-current");
    if (!open) return;
    for (const link of part.querySelectorAll(`a.name[href*="open=${CSS.escape(open)}"]`)) {
      if (!isOpen(link)) continue;
      link.setAttribute("aria-current", "true");
      // To open an item of news is to read it.
      const row = link.closest("[data-news] > .fresh");
      if (row) unmark(row);
    }
  };
  enhance(markRow);

  const details = atNeed("detail", ({ showDetails }) => showDetails({ ...common, markRow, isWide }));

  // The address of what a link opens beside this list; null for other links.
  const target = (link) => {
    const [url, here] = [new URL(link.href), new URL(location)];
    const isHere = ["origin", "pathname"].every((part) => url[part] === here[part])
      && ["folder", "q", "fund"].every((name) => url.searchParams.get(name) === here.searchParams.get(name));
    return isHere && url.searchParams.has("open") && !link.matches("[download], [target], [data-zoom], .thin") ? url : null;
  };

  addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    const isPlain = !event.defaultPrevented && event.button === 0
      && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || !isWide.matches) return;
    const isShut = link.matches("[data-shut]"), url = isShut ? null : target(link);
    if (!isShut && !url) return;
    event.preventDefault();
    const shown = await details();
    if (!shown) location.assign(link.href);
    else if (isShut) shown.close();
    else shown.show(url, link);
  });

  // What shows it is there when the press ends.
  const warm = ({ target: place }) => {
    if (!isWide.matches) return;
    const part = place.closest?.("a.name[href], .row, .clip");
    const link = part?.matches("a") ? part : part?.querySelector("a.name[href]");
    if (link && target(link)) details();
  };
  for (const name of ["pointerover", "touchstart", "focusin"]) addEventListener(name, warm, { passive: true });
  if (find("[data-detail]")) details();
}
