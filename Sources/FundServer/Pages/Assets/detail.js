import { showPages } from "./viewer.js";

// The region of what is opened beside its list: fetched alone, and put in the place of the one before it. The first one
// is a step for Back and the others take its place, so that one Back closes what is open.
export const showDetails = (page) => {
  const { make, find, findAll, additions, load, ownAddress, listAddress, isOfItem, markRow, openLink, isWide } = page;
  // Milliseconds until what is being made is asked for again, and how often at most.
  const [pause, mostTries] = [1500, 40];
  const region = () => find("[data-detail]");
  const titleOfList = region() ? `${find(".list").dataset.title} – Fundmail` : document.title;

  const style = new URL("./detail.css", import.meta.url).href;
  const styled = [...findAll("link[rel=stylesheet]")].some(({ href }) => href === style) ? null
    : new Promise((resolve) => {
      const sheet = Object.assign(make("link"), { rel: "stylesheet", href: style });
      sheet.addEventListener("load", resolve);
      sheet.addEventListener("error", resolve);
      document.head.append(sheet);
    });

  // The list as it is shown here, with what an address opens.
  const addressOf = (url) => {
    const address = listAddress();
    for (const [name, value] of url.searchParams) if (isOfItem(name, value)) address.searchParams.set(name, value);
    return address;
  };
  const itemOf = ({ searchParams }) => `${searchParams.get("open")} ${searchParams.get("view") === "html"}`;

  // Null where there is no such region: the item is gone, the session is over, or is that of another person by now.
  const ask = async (address) => {
    const alone = new URL(address);
    alone.searchParams.set("part", "detail");
    alone.hash = "";
    const { page: answer } = await load(alone.href);
    const reader = answer?.querySelector("meta[name=reader]")?.content;
    if (!reader || reader !== find("meta[name=changes]")?.dataset.user) return null;
    const fresh = answer.querySelector("[data-detail]");
    // A page that a script fetches has these as elements, and what is in them would load this page again.
    for (const part of fresh.querySelectorAll("noscript")) part.remove();
    return { fresh: document.adoptNode(fresh), title: answer.title };
  };

  const put = ({ fresh, title }) => {
    const old = region();
    if (old) old.replaceWith(fresh);
    else find("main").append(fresh);
    document.title = title;
    for (const addition of additions) addition(fresh);
    begin(fresh);
    dispatchEvent(new Event("opened"));
  };

  const showRow = () => openLink()?.closest("li").scrollIntoView({ block: "nearest", behavior: "instant" });

  // Of answers that come late only the last is shown.
  let turn = 0, shown = region() ? itemOf(new URL(location)) : null;

  // - from: the link that was followed: the list keeps the focus while one steps through it.
  // - isAgain: the address is there already.
  const show = async (url, from = null, isAgain = false) => {
    const address = addressOf(url), old = region(), mine = turn += 1;
    const keepsFocus = old && from?.closest("[data-rows]") && document.activeElement === from;
    if (old?.querySelector(".info")?.open) address.searchParams.set("info", "1");
    if (old) old.ariaBusy = "true";
    const [answer] = await Promise.all([ask(address), styled]);
    if (mine !== turn) return;
    if (!answer) return location.assign(url);
    if (old || isAgain) history.replaceState(history.state, "", address);
    else history.pushState({ isOpened: true }, "", address);
    shown = itemOf(address);
    put(answer);
    markRow();
    showRow();
    if (!keepsFocus) find("#opened").focus({ preventScroll: true });
  };

  const remove = () => {
    turn += 1;
    shown = null;
    const link = openLink();
    const hadFocus = document.activeElement === document.body || region().contains(document.activeElement);
    showRow();
    region().remove();
    document.title = titleOfList;
    markRow();
    dispatchEvent(new Event("opened"));
    if (hadFocus) link?.focus({ preventScroll: true });
    link?.closest("li").scrollIntoView({ block: "nearest", behavior: "instant" });
  };

  const close = () => {
    if (!region()) return;
    if (history.state?.isOpened) return history.back();
    history.replaceState(history.state, "", listAddress());
    remove();
  };

  addEventListener("popstate", () => {
    const here = new URL(location), isOpen = here.searchParams.has("open");
    if (!isOpen && region()) remove();
    else if (isOpen && itemOf(here) !== shown) {
      if (isWide.matches) show(here, null, true);
      else location.reload();
    }
  });

  // What was deleted or moved away elsewhere on the page closes.
  addEventListener("acted", ({ detail }) => {
    const key = region()?.dataset.detail;
    if (detail?.keys?.includes(key) && !find(`[data-key="${key}"]`)) close();
  });

  // MARK: One region

  // What is being made is asked for until it is there.
  const renew = async (fresh) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const old = fresh.querySelector("[data-again]");
      if (!old) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (!fresh.isConnected) return;
      if (document.hidden) continue;
      const answer = await ask(addressOf(new URL(location)));
      if (!answer || !fresh.isConnected) return;
      if (answer.fresh.querySelector("[data-again]")) continue;
      // Of a mail its recipients alone: one may be reading it.
      if (!old.matches(".to")) return put(answer);
      const now = answer.fresh.querySelector(".to");
      if (now) old.replaceWith(now);
      else old.remove();
    }
  };

  // HTML that was laid out for a wide window is shown smaller, so that all of its width is seen.
  const fit = (frame) => {
    const [sheet, width] = [frame.parentElement, Number(frame.dataset.width) + 48];
    new ResizeObserver(() => {
      const scale = Math.min(1, sheet.clientWidth / width);
      const height = `calc(75dvh / ${scale})`;
      Object.assign(frame.style, scale === 1 ? { width: "", height: "", transform: "", marginBottom: "" } : {
        width: `${width}px`, height, transform: `scale(${scale})`, transformOrigin: "0 0", marginBottom: `calc(75dvh - ${height})`,
      });
    }).observe(sheet);
  };

  const begin = (fresh) => {
    const viewer = fresh.querySelector("[data-viewer]");
    if (viewer) showPages(viewer, fresh, { make, ownAddress, again: () => show(new URL(location), null, true) });
    for (const frame of fresh.querySelectorAll("iframe[data-width]")) fit(frame);
    fresh.querySelector(".info")?.addEventListener("toggle", ({ target }) => {
      const here = ownAddress();
      if (target.open) here.searchParams.set("info", "1");
      else here.searchParams.delete("info");
      history.replaceState(history.state, "", here);
    });
    renew(fresh);
  };
  if (region()) begin(region());

  return { show, close };
};
