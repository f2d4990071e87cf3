// Acts without a load: a form that is marked with `data-act` is sent from here. The page that comes of it is this list
// again, of which what changed is shown (live.js), with what was done in a toast; or it is a question, which the dialog
// shows; or it is another page, and then one goes there.
const said = find("#link")?.dataset ?? {};
const toasts = find(".toasts");

// It stays until the next act.
const showToast = (done) => {
  const close = make("button");
  Object.assign(close, { type: "button", className: "ib", ariaLabel: said.close, textContent: "×" });
  close.addEventListener("click", () => done.remove());
  done.append(close);
  toasts.append(done);
};
const toast = (text, ...more) => {
  const [done, line] = [make("div"), make("p")];
  done.className = "done loss";
  line.append(text, ...more);
  done.append(line);
  toasts.replaceChildren();
  showToast(done);
};
// What a page says that was loaded after an act stands there, too.
if (toasts && find(".list > .done")) showToast(find(".list > .done"));

// The dialog is loaded when it is needed first.
let dialogs = null;
const dialog = () => (dialogs ??= import("./dialog.js").then(({ makeDialog }) => makeDialog({ make, find, additions, said })));
const openDialog = async (address) => {
  const answer = await load(address);
  const part = new URL(address, location).hash || "[data-sheet]";
  const region = answer.page?.querySelector(part);
  if (!region) return location.assign(address);
  const { show } = await dialog();
  show(answer.page, region, part);
};

const rowLink = (key) => find(`li[data-key="${key}"] a.name`);
// The rows behind the last of those that are acted on, then those before, for the focus.
const besides = (keys) => {
  const all = [...findAll("li[data-key]")].map((row) => row.dataset.key);
  const last = all.findLastIndex((key) => keys.includes(key));
  return [...all.slice(last + 1), ...all.slice(0, last + 1).reverse()].filter((key) => !keys.includes(key));
};
const focusRow = (keys) => {
  const { activeElement } = document;
  if (activeElement !== document.body && !activeElement?.closest(".toasts, .chosen, dialog, [popover]")) return;
  (keys.map(rowLink).find(Boolean) ?? find("#main")).focus();
};

// Whether two addresses show one list, however it is ordered and whatever is open beside it.
const passing = ["done", "undo", "as", "sort", "view", "cursor", "rows", "chosen", "open", "info"];
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
  const shown = dialogs && find("dialog[open]") ? await dialog() : null;
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
  if (region) return (shown ?? await dialog()).show(page, region, part);
  if (!answer.page) return fail(page.querySelector("[data-refusal], .failure p")?.textContent ?? said.failed);
  if (!takeOver || listOf(answer.address) !== listOf(location) || heading(page) !== heading(document)) {
    return location.assign(answer.address);
  }
  shown?.close();
  toasts.replaceChildren();
  const done = page.querySelector(".list > .done");
  await takeOver(page, keys);
  for (const box of keys.map((key) => find(`li[data-key="${key}"] input:checked`))) if (box) box.checked = false;
  dispatchEvent(new Event("change"));
  if (done) showToast(document.adoptNode(done));
  focusRow([...keys, ...others]);
  dispatchEvent(new CustomEvent("acted", { detail: { keys, page } }));
};

let isActing = false;
addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  if (event.defaultPrevented || !form.matches("[data-act]") || action.endsWith("/zip")) return;
  // On its own page such a form is sent as without scripts.
  if (form.dataset.act === "dialog" && !form.closest("dialog")) return;
  event.preventDefault();
  if (isActing) return;
  isActing = true;
  const fields = new URLSearchParams(new FormData(form, submitter));
  if (!form.closest("dialog")) fields.set("back", listPath());
  const keys = [...fields.keys()].filter((name) => name.startsWith("item-")).map((name) => name.slice(5));
  const others = besides(keys);
  if (submitter) submitter.ariaBusy = "true";
  try { await settle(await load(action, fields), keys, others); } finally {
    isActing = false;
    submitter?.removeAttribute("aria-busy");
  }
});
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-dialog]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.closest("[popover]")?.hidePopover();
  openDialog(link.href);
});
