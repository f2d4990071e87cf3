// To the main pages by two keys: g l, g f, g m, g d.
{
  const pages = { KeyL: "/library/latest", KeyF: "/library/favourites", KeyM: "/library/sent", KeyD: "/desk" };
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
