// Lists in sections: further ones are fetched ahead of the scroll and kept. And where one was in a list, for Back where
// the browser does not keep the page itself, and for the list that is shown again after an act.
{
  const lists = () => findAll("ul[data-rows]");
  // Without it the link is still there.
  const further = atNeed("further", ({ makeFurther }) => makeFurther({ ...common, lists }));

  const ahead = new IntersectionObserver(async (entries) => {
    const entry = entries.at(-1);
    if (!entry.isIntersecting) return;
    ahead.unobserve(entry.target);
    // Observed anew it is reported anew, if it is still near.
    if (await (await further())?.more() && entry.target.isConnected) ahead.observe(entry.target);
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
    further().then((list) => list?.fill(Infinity)).then(() => {
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
      further().then((list) => list?.resume(kept)).finally(() => { history.scrollRestoration = "auto"; });
    }
  }
}
