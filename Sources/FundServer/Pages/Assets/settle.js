// The result of an act, or the question before it: in the list, in a toast, or in the dialog.
export const makeSettling = ({
  make, find, load, ownAddress, said, toast, toasts, showToast, besides, dialog, listTaker,
}) => {
  const openDialog = async (address) => {
    const answer = await load(address);
    const part = new URL(address, location).hash || "[data-sheet]";
    const region = answer.page?.querySelector(part);
    if (!region) return location.assign(address);
    (await dialog())?.show(answer.page, region, part);
  };

  const rowLink = (key) => find(`li[data-key="${key}"] a.name`);
  const focusRow = (keys) => {
    const { activeElement } = document;
    if (activeElement !== document.body && !activeElement?.closest(".toasts, .chosen, dialog, [popover]")) return;
    (keys.map(rowLink).find(Boolean) ?? find("#main")).focus();
  };

  // Whether two addresses show one list, however it is ordered and whatever is open beside it.
  const passing = ["done", "undo", "as", "letter", "kept", "sort", "view", "cursor", "rows", "chosen", "open", "info"];
  const listOf = (address) => {
    const url = new URL(address);
    for (const name of passing) url.searchParams.delete(name);
    url.searchParams.sort();
    return url.pathname + url.search;
  };
  const heading = (page) => page.querySelector(".list h1")?.textContent;

  // Shows what came of an act. `keys` are those of the rows that it was about, `others` get the focus when these are gone.
  const settle = async (answer, keys, others = besides(keys)) => {
    const page = answer.page ?? answer.refusal;
    const shown = find("dialog[open]") ? await dialog() : null;
    const fail = (text, ...more) => (shown ? shown.fail(text, ...more) : toast(text, ...more));
    if (!page) return fail(said.failed);
    if (answer.path === "/sign-in") {
      const way = make("a");
      const { pathname, search } = ownAddress();
      Object.assign(way, { href: `/sign-in?next=${encodeURIComponent(pathname + search)}`, textContent: said.signIn });
      return fail(said.out, " ", way);
    }
    const reader = page.querySelector("meta[name=changes]");
    if (reader && reader.dataset.user !== find("meta[name=changes]")?.dataset.user) return location.reload();
    const part = answer.page ? "[data-sheet]" : shown?.part ?? "[data-sheet]";
    const region = page.querySelector(part);
    if (region) {
      const { sheet } = region.dataset;
      (shown ?? await dialog())?.show(page, region, part);
      // Something was done: this page is of before.
      if (sheet) find("dialog[open]")?.addEventListener("close", () => location.assign(sheet), { once: true });
      return;
    }
    if (!answer.page) return fail(page.querySelector("[data-refusal], .failure p")?.textContent ?? said.failed);
    const takeList = listTaker();
    if (!takeList || listOf(answer.address) !== listOf(location) || heading(page) !== heading(document)) {
      return location.assign(answer.address);
    }
    shown?.close();
    toasts.replaceChildren();
    const done = page.querySelector(".list > .done");
    await takeList(page, keys);
    for (const box of keys.map((key) => find(`li[data-key="${key}"] input:checked`))) if (box) box.checked = false;
    dispatchEvent(new Event("change"));
    if (done) showToast(document.adoptNode(done));
    focusRow([...keys, ...others]);
    dispatchEvent(new CustomEvent("acted", { detail: { keys, page } }));
  };

  return { openDialog, settle };
};
