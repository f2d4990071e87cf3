// Single keys of lists and of what is opened beside them.
{
  const links = () => [...findAll("[data-rows] a.name")];
  const isOpening = (link) => new URL(link.href).searchParams.has("open");
  const rowOfFocus = () => document.activeElement?.closest("[data-rows]") && document.activeElement.closest("li, .row")?.querySelector("a.name");
  const region = () => find("[data-detail]");
  const press = (selector) => {
    const control = find(selector);
    control?.click();
    return Boolean(control);
  };

  // To the row before or behind: while something is open it takes its place, else it gets the focus.
  const step = (by) => {
    const isOpen = Boolean(region());
    const all = links().filter((link) => !isOpen || isOpening(link));
    const inList = rowOfFocus();
    const at = all.indexOf(isOpen ? openLink() : inList);
    const next = at < 0 ? null : all[at + by];
    if (isOpen) {
      // The list may have no row of it, or no further one yet.
      if (!next) return press(`[data-detail] a[rel=${by > 0 ? "next" : "prev"}]`);
      if (inList) next.focus();
      next.click();
      return true;
    }
    const target = next ?? (at < 0 ? all[by > 0 ? 0 : all.length - 1] : null);
    target?.focus();
    return Boolean(target) || press(`.beside a[rel=${by > 0 ? "next" : "prev"}]`);
  };

  const scroll = (by) => {
    const body = find("[data-detail] > .body");
    if (!body || body.scrollHeight <= body.clientHeight) return false;
    body.scrollBy({ top: by * body.clientHeight * 0.9 });
    return true;
  };

  // The row of the focus and the one before or behind it are chosen, and that one gets the focus.
  const boxOf = (link) => link?.closest("li").querySelector(".pick input");
  const extend = (by) => {
    const all = links().filter(boxOf);
    const at = all.indexOf(rowOfFocus() ?? openLink());
    const next = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by];
    for (const link of [all[at], next]) if (link) boxOf(link).checked = true;
    dispatchEvent(new Event("change"));
    next?.focus();
    return all.length > 0;
  };

  // The New menu gives the focus to the name of a folder.
  const nameFolder = () => {
    const field = find("main [data-do=folder]"), menu = field?.closest("[popover]");
    if (menu?.matches(":not(:popover-open)")) menu.showPopover();
    field?.focus();
    return Boolean(field);
  };

  const acts = {
    KeyJ: () => step(1), KeyK: () => step(-1), BracketRight: () => step(1), BracketLeft: () => step(-1),
    ArrowRight: () => region() ? step(1) : press(".beside a[rel=next]"),
    ArrowLeft: () => region() ? step(-1) : press(".beside a[rel=prev]"),
    ArrowDown: () => rowOfFocus() && step(1), ArrowUp: () => rowOfFocus() && step(-1),
    KeyO: () => { const link = rowOfFocus(); link?.click(); return Boolean(link); },
    KeyV: () => press("[data-detail] a[data-view]:not([aria-current])"),
    KeyI: () => press("[data-detail] .info > summary"),
    "⇧KeyJ": () => extend(1), "⇧KeyK": () => extend(-1), "*": () => press("[data-choose-all] input"),
    KeyU: () => press("main [data-do=upload]"), KeyN: () => press("main [data-do=note]"),
    KeyW: () => press("main [data-do=write]"), "⇧KeyN": nameFolder,
    "+": () => press("[data-detail] a[data-zoom=larger]"), "-": () => press("[data-detail] a[data-zoom=smaller]"),
  };

  addEventListener("keydown", (event) => {
    if (event.key === "Escape") return escape(event);
    if (!isPlainKey(event)) return;
    const isSpace = event.code === "Space" && !event.target.closest?.("button, summary, a[href], [role=button], input");
    if (isSpace && region() && scroll(event.shiftKey ? -1 : 1)) return event.preventDefault();
    const signs = { "+": "+", "=": "+", "-": "-", "*": "*" };
    const name = signs[event.key] ?? (event.shiftKey ? `⇧${event.code}` : event.code);
    // An arrow moves what is larger than its place.
    const wide = event.code.startsWith("Arrow") && event.target.closest?.(".tabular, .leaf, .pages[data-zoom=large]");
    if (!wide && acts[name]?.()) event.preventDefault();
  });

  // The topmost closes: menus and dialogs do so by themselves.
  const escape = (event) => {
    if (event.defaultPrevented || event.isComposing || find("dialog[open]") || find(":popover-open")) return;
    if (event.target.closest?.(typedIn)) return;
    const info = find("[data-detail] .info[open]");
    if (info) {
      info.open = false;
      info.querySelector("summary").focus();
    } else if (!press("[data-detail] [data-shut]")) return;
    event.preventDefault();
  };
}
