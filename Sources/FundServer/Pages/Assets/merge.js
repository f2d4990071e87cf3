// Shows what is different in a page that was loaded anew: of the regions that are marked with `data-live`, and of further
// sections of a list only the rows that a change names.
export const makeMerge = ({
  make, find, findAll, additions, load, paging, countRows, listAddress, unmark, meta, link, stream, say, leave,
}) => {
  const pause = 1000;
  const isStreamed = () => Boolean(stream.channel || stream.source);

  // MARK: The page

  const key = (row) => row.dataset.key ?? row.textContent;
  const controls = (row) => [...row.querySelectorAll("a, button, input")];

  const replace = (old, now) => {
    const before = controls(old), after = controls(now);
    const focus = before.indexOf(document.activeElement);
    for (const { name } of before.filter((control) => control.checked)) {
      const same = after.find((control) => control.name === name);
      if (same) same.checked = true;
    }
    if (old.querySelector("details[open]")) now.querySelector("details")?.setAttribute("open", "");
    old.replaceWith(now);
    if (focus >= 0) after[focus]?.focus();
  };

  // Whether a row is the one that is shown. One that only got its thumbnail takes it over, and is no news, nor is how far
  // a transfer is.
  const isShown = (old, now) => {
    // What is being typed there is not lost.
    if (!old || old.isEqualNode(now) || old.querySelector(".rename")) return Boolean(old);
    for (const part of [".badge", ".flow"]) {
      const [mine, other] = [old, now].map((row) => row.querySelector(part));
      if (mine && other && !mine.isEqualNode(other)) mine.replaceWith(document.importNode(other, true));
    }
    return old.isEqualNode(now);
  };

  // Keys of rows that stand behind those of the first section, which they were pushed out of.
  const pushedOut = new Set();

  const remove = (row) => {
    pushedOut.delete(key(row));
    const hadFocus = row.contains(document.activeElement);
    const beside = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    if (hadFocus) beside?.querySelector("a")?.focus();
  };

  const tint = (row) => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    row.animate([{ background: "var(--accent-soft)" }, {}], { duration: 4000 });
  };

  // The row that stands for an older version of a file.
  const stackOf = (key) => find(`li[data-versions~="${key}"]`);

  // Versions for which other rows stand by now have none of their own. Returns the rows that are left.
  const unstacked = (rows) => {
    const keys = new Set([...findAll("[data-versions]")].flatMap((row) => row.dataset.versions.split(" ")));
    return rows.filter((row) => {
      if (!keys.has(row.dataset.key)) return true;
      remove(row);
      return false;
    });
  };

  // Rows stay where nothing changed, with their focus and their selection. `names` gets those that are new. A list may
  // have more rows than its first section, which is all that `now` has: those that are not in it stay behind it. What
  // may also be gone is looked at again by `renew`.
  const merge = (old, now, names, hasMore, isAct) => {
    const known = new Map([...old.children].map((row, index) => [key(row), { row, index }]));
    const chunks = [...old.parentElement.querySelectorAll("ul.chunk")];
    const later = new Map(chunks.flatMap((chunk) => [...chunk.children]).map((row) => [key(row), row]));
    const fresh = [...now.children].filter((row) => !gone.has(key(row)));
    const end = fresh.length > 0 && key(fresh.at(-1));
    const hasGap = end && !known.has(end) && !later.has(end);
    firstCount = fresh.length;
    const lastKnown = fresh.findLastIndex((row) => known.has(key(row)));
    // Rows of what is read meanwhile stay where they are, until the page is loaded anew.
    const keeps = old.matches("[data-keeps]") && !isAct;
    const ahead = new Set(fresh.map(key));
    let place = old.firstElementChild, last = -1;
    fresh.forEach((row, position) => {
      const { row: before, index = -1 } = known.get(key(row)) ?? {};
      known.delete(key(row));
      pushedOut.delete(key(row));
      last = Math.max(last, index);
      while (keeps && before && place && !ahead.has(key(place))) place = place.nextElementSibling;
      if (before && before === place) place = place.nextElementSibling;
      if (isShown(before, row)) {
        if (before.nextElementSibling !== place) old.insertBefore(before, place);
        return;
      }
      const moved = later.get(key(row));
      moved?.remove();
      const mine = document.adoptNode(row);
      if (before) replace(before, mine);
      if (!before || mine.nextElementSibling !== place) old.insertBefore(mine, place);
      // What moved up when another row was deleted is not new.
      if (moved || hasMore && !before && position > lastKnown && lastKnown >= 0) return;
      tint(mine);
      if (!before) names.push(mine.querySelector(".name")?.textContent ?? "");
    });
    unstacked([...later.values()]);
    const left = new Set(unstacked([...known.values()].map(({ row }) => row)));
    const rest = [...known.values()].filter(({ row }) => left.has(row));
    if (keeps) return rest.forEach(({ row }) => unmark(row));
    if (!hasMore && chunks.length === 0) return rest.forEach(({ row }) => remove(row));
    for (const { row, index } of rest) {
      if (index <= last || isUnsure || changed.has(key(row))) named.add(key(row));
      if (chunks.length === 0) pushedOut.add(key(row));
      else pushedOut.delete(key(row));
    }
    chunks[0]?.prepend(...rest.map(({ row }) => row));
    // So much came that there may be more of it between this section and what stood here before.
    if (hasGap && rest.length + chunks.length > 0) isShort = true;
  };

  // False when another person signed in at another tab.
  const isMine = (fresh) => {
    const other = fresh.querySelector("meta[name=changes]");
    if (other?.dataset.user !== meta.dataset.user) return false;
    const token = find("meta[name=csrf]").content;
    // Every answer masks the token of forms anew; it is the same one.
    for (const field of fresh.querySelectorAll("input[name=csrf]")) field.setAttribute("value", token);
    return true;
  };

  // - isAct: after an act of this page the focus is where it was pressed, which may go.
  const show = (fresh, isAct = false) => {
    if (!isMine(fresh)) return leave();
    // After a refusal the stream begins where this page was made; so it does for the other tabs.
    const { content } = fresh.querySelector("meta[name=changes]");
    if (stream.source?.readyState === EventSource.CLOSED && stream.last !== content) {
      stream.last = content;
      doubtAll();
      stream.channel?.postMessage({ cursor: stream.last });
    }
    const hasMore = [document, fresh].some(paging);
    const names = [];
    for (const old of findAll("[data-live]")) {
      const now = fresh.querySelector(`[data-live="${old.dataset.live}"]`);
      if (!now || !old.isConnected) continue;
      for (const addition of additions) addition(now);
      const [oldRows, newRows] = [old, now].map((region) => region.querySelector("ul.rows"));
      if (oldRows && newRows) merge(oldRows, newRows, names, hasMore, isAct);
      else if (!old.isEqualNode(now) && (isAct || !old.contains(document.activeElement))) old.replaceWith(document.adoptNode(now));
    }
    isUnsure = false;
    // What came and is not in the first section stands in one of the others, perhaps in one that is here.
    if (!paging()) lackingCount = total() - countRows();
    else if (find(".chunk")) lackingCount = total() - lastTotal - names.length;
    lastTotal = total();
    dispatchEvent(new Event("change"));
    if (names.length > 0 && !isAct) link.querySelector(".hidden").textContent = names.slice(0, 5).join(", ");
  };

  // MARK: Further sections

  // Rows of the list, as far as the page says.
  const total = () => Number(find("[data-total]")?.dataset.total ?? 0);
  const rowOf = (key) => find(`li[data-key="${key}"]`);

  // Shows a row of the list `rows` where it stands there: behind the row above it, or before the row below it. When the
  // page has neither, it comes with another section.
  const put = (row, rows) => {
    const index = rows.indexOf(row), old = rowOf(row.dataset.key);
    const [above, below] = [rows[index - 1], rows[index + 1]].map((beside) => beside && rowOf(beside.dataset.key));
    const list = make("ul");
    list.append(document.adoptNode(row));
    for (const addition of additions) addition(list);
    const shown = isShown(old, row) ? old : row;
    if (old && shown === row) replace(old, row);
    const before = shown.previousElementSibling ?? shown.parentElement.previousElementSibling?.lastElementChild;
    if (above && above !== before) above.after(shown);
    else if (!above && below && below !== shown.nextElementSibling) below.before(shown);
    else if (!above && !below && index > 0) return old && remove(shown);
    unstacked([...findAll("[data-rows] > li")]);
    if (shown === row && row.isConnected) tint(row);
  };

  // After a gap in the stream any row of further sections may have changed, and what was gone may be back.
  const doubtAll = () => {
    gone.clear();
    for (const row of findAll(".chunk > [data-key]")) named.add(row.dataset.key);
    for (const key of pushedOut) named.add(key);
    isUnsure = true;
  };

  // Loads the rows that are named anew, if they stand behind the first section or are not here. They may stand in any
  // section now: the one where they stood is asked first, then the first one, then the others. So it is with rows that
  // the page lacks though it should have all.
  const renew = async () => {
    const isMissing = isShort || lackingCount > 0;
    isShort = false;
    const sections = [...findAll(".chunk")].map((chunk) => chunk.dataset.section);
    const isWanted = (key) => {
      const row = rowOf(key);
      return row ? pushedOut.has(key) || row.closest(".chunk") : sections.length > 0;
    };
    const wanted = new Set([...named].filter(isWanted));
    const own = [...wanted].map((key) => rowOf(key)?.parentElement.dataset.section).filter(Boolean);
    for (const key of [...named]) if (!wanted.has(key)) named.delete(key);
    if (named.size === 0 && !isMissing) return;
    const first = here();
    first.searchParams.set("rows", 500);
    const addresses = isMissing ? [first.href, ...own, ...sections] : [...own, first.href, ...sections];
    for (const address of new Set(addresses)) {
      // What is not done stays named, for the next time.
      if (document.hidden || !isStreamed()) return;
      const { page } = await load(address);
      if (!page) return;
      if (!isMine(page)) return leave();
      const rows = [...page.querySelectorAll("ul[data-rows] > li")];
      const isAll = !paging();
      const lastKnown = rows.findLastIndex((row) => rowOf(row.dataset.key));
      // More came than this section holds: the list begins anew.
      const isCut = address === first.href && paging(page);
      if (isMissing && isCut && lastKnown < (isAll ? rows.length - 1 : firstCount)) return location.reload();
      for (const [index, row] of rows.entries()) {
        const { key } = row.dataset;
        if (gone.has(key)) continue;
        const isLacking = isMissing && (isAll || index < lastKnown) && !rowOf(key);
        if (isLacking) lackingCount -= 1;
        if (!wanted.delete(key) && !isLacking) continue;
        named.delete(key);
        put(row, rows);
      }
      if (wanted.size === 0 && lackingCount <= 0) break;
    }
    lackingCount = 0;
    for (const key of wanted) {
      named.delete(key);
      const row = rowOf(key);
      if (row) remove(row);
    }
    // As many as were gone may be lacking.
    if (wanted.size > 0) isStale = true;
    dispatchEvent(new Event("change"));
  };

  // MARK: Loading it anew

  let isRunning = false, isStale = false;
  // Keys of rows that are to be looked at again, and of all that changed while the page was loaded: it may show them as
  // they were before. After a gap in the stream any may have changed.
  const named = new Set(), changed = new Set(), gone = new Set();
  let isUnsure = false;
  // Rows of the first section, whether some may be lacking right behind it, and how many further on.
  let firstCount = 0, isShort = false, lackingCount = 0, lastTotal = total();

  const here = () => {
    const address = listAddress();
    // How this tab shows the list, whatever another tab chose meanwhile.
    const shown = new URLSearchParams(find("[data-query]")?.dataset.query);
    for (const [name, value] of shown) address.searchParams.set(name, value);
    return address;
  };

  // Number of acts of which this page showed the result.
  let acts = 0;
  const refresh = async (isUnseen = false) => {
    isStale = true;
    if (isRunning || document.hidden && !isUnseen || link.dataset.state === "out") return;
    [isRunning, isStale] = [true, false];
    const before = [...changed], turn = acts;
    try {
      const { page, path, refusal } = await load(here());
      const reader = refusal?.querySelector("meta[name=changes]");
      // Another person signed in at another tab: the server refuses this page to them.
      if (path === "/sign-in" || reader && reader.dataset.user !== meta.dataset.user) leave();
      // It may be of before an act whose result is shown by now.
      else if (page && turn !== acts) isStale = true;
      else if (page) {
        show(page);
        for (const key of before) changed.delete(key);
        if (link.dataset.state !== "out") await renew();
      } else if (stream.source?.readyState !== EventSource.OPEN) say("lost");
    } finally {
      // What changes without cease is shown once a second.
      setTimeout(() => {
        isRunning = false;
        if (isStale) refresh();
      }, pause);
    }
  };

  // A change that the stream or another tab told of.
  const heard = ({ key, isGone }) => {
    if (key) {
      changed.add(key);
      if (isGone) gone.add(key);
      else gone.delete(key);
    } else doubtAll();
    const row = key && (rowOf(key) ?? stackOf(key));
    if (row && isGone && row.dataset.key === key) {
      // An older version takes its place.
      if (row.dataset.versions) isShort = true;
      remove(row);
    } else if (row) named.add(row.dataset.key);
    refresh();
  };

  // `keys` are those of the rows that an act was about: the page tells of them by now, also in further sections. An act
  // that names none is about all.
  const takeOver = async (page, keys) => {
    acts += 1;
    if (keys.length === 0) doubtAll();
    for (const key of keys) {
      gone.delete(key);
      named.add(key);
    }
    const shown = new Set([...page.querySelectorAll("[data-rows] > li")].map(key));
    show(page, true);
    // No stream tells what became of a row that the first section does not have.
    const left = isStreamed() ? [] : keys.map(rowOf).filter((row) => row && (row.closest(".chunk") || !shown.has(key(row))));
    left.forEach(remove);
    if (isStreamed()) await renew();
    else named.clear();
  };

  document.addEventListener("visibilitychange", () => { if (!document.hidden && isStale) refresh(); });
  return { heard, refresh, takeOver };
};
