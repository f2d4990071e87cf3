// Things that were opened lately, for the palette. They go when their reader signs out, and when another signs in.
{
  const out = find("#sign-out");
  const name = `recent ${out?.dataset.drafts}`;
  const mostItems = 12;
  const places = /^\/library\/funds\/\d+(?:\/all|\/mail|\/notes)?$/;
  const kinds = { f: "files", m: "emails", n: "notes" };

  // An item goes by its own address, beside whatever list it was opened.
  const note = () => {
    const { pathname, searchParams } = ownAddress();
    const [open, folder] = ["open", "folder"].map((name) => searchParams.get(name)), kind = kinds[open?.[0]];
    // The page of an error has no bar, and what is in the trash no other address.
    if (!find("main .bar") || pathname === "/library/trash" || !kind && !places.test(pathname)) return;
    const href = kind ? `/library/${kind}/${open.slice(1)}` : pathname + (folder ? `?folder=${folder}` : "");
    const item = { href, open, text: document.title.replace(/ – Fundmail$/, "") };
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
