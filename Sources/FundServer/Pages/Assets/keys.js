// To the main pages by two keys: g l, g f, g m, g n, g d.
{
  const pages = { KeyL: "/library/latest", KeyF: "/library/favourites", KeyM: "/library/sent", KeyN: "/library/news", KeyD: "/desk" };
  const pause = 1500;
  let begun = -Infinity;
  addEventListener("keydown", (event) => {
    const isPlain = isPlainKey(event) && !event.shiftKey;
    const isSecond = event.timeStamp - begun < pause;
    begun = isPlain && event.code === "KeyG" ? event.timeStamp : -Infinity;
    const link = isPlain && isSecond && pages[event.code] && find(`.side a[href="${pages[event.code]}"]`);
    if (!link) return;
    event.preventDefault();
    // The second key means nothing else.
    event.stopImmediatePropagation();
    link.click();
  }, true);
}
// The list of keys, by "?": of the page that has all of them those that do something here.
{
  const showKeys = async () => {
    const address = "/account/keys", { page } = await load(address);
    const region = page?.querySelector("[data-sheet]");
    if (!region) return location.assign(address);
    for (const part of region.querySelectorAll("[data-when]")) if (!find(part.dataset.when)) part.remove();
    for (const section of region.querySelectorAll("section")) if (!section.querySelector("dt")) section.remove();
    (await dialog())?.show(page, region, "[data-sheet]");
  };
  addEventListener("keydown", (event) => {
    // On a layout with other letters, what stands there on a Latin one.
    const isAsked = event.key === "?" || event.shiftKey && event.code === "Slash" && !/^[!-~]$/.test(event.key);
    if (!isAsked || !isPlainKey(event)) return;
    event.preventDefault();
    showKeys();
  });
  addEventListener("click", (event) => {
    if (!event.target.closest?.("a[data-keylist]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showKeys();
  });
}
