// Things that were opened lately, for the palette. They go when their reader signs out, and when another signs in.
{
  const out = find("#sign-out");
  const name = `recent ${out?.dataset.drafts}`;
  const mostItems = 12;
  const paths = /^\/library\/(?:funds|files|emails|notes)\/\d+(?:\/mail|\/notes)?$/;

  const note = () => {
    const { pathname, searchParams } = ownAddress();
    // The page of an error has no bar.
    if (!out || !paths.test(pathname) || !find("main .bar")) return;
    const open = searchParams.get("open");
    const href = pathname + (open ? `?open=${encodeURIComponent(open)}` : "");
    const item = { href, text: document.title.replace(/ – Fundmail$/, "") };
    try {
      const kept = JSON.parse(localStorage.getItem(name) ?? "[]").filter((other) => other.href !== href);
      localStorage.setItem(name, JSON.stringify([item, ...kept].slice(0, mostItems)));
    } catch { /* nothing is kept */ }
  };

  if (out) {
    for (const key of Object.keys(localStorage)) if (key.startsWith("recent ") && key !== name) localStorage.removeItem(key);
    note();
    addEventListener("opened", note);
    out.addEventListener("submit", () => localStorage.removeItem(name));
  }
}
