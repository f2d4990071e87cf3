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
// - ways: what one can do about it, as buttons.
const sayDone = (words, ways = [], isLoss = false) => {
  const [done, line] = [make("div"), make("p")];
  done.className = isLoss ? "done loss" : "done";
  line.append(...words);
  done.append(line, ...ways);
  toasts.replaceChildren();
  showToast(done);
};
const toast = (...words) => sayDone(words, [], true);
// What a page says that was loaded after an act stands there, too.
if (toasts && find(".list > .done")) showToast(find(".list > .done"));

// The dialog, and what shows the result of an act.
const fail = () => toast(said.failed);
const dialog = atNeed("dialog", ({ makeDialog }) => makeDialog({ ...common, said }), fail);
const settling = atNeed("settle", ({ makeSettling }) => makeSettling({
  ...common, said, toast, toasts, showToast, besides, dialog, listTaker: () => takeOver,
}), fail);
const openDialog = async (address) => (await settling())?.openDialog(address);
const settle = async (...what) => (await settling())?.settle(...what);

// The rows behind the last of those that are acted on, then those before, for the focus.
const besides = (keys) => {
  const all = [...findAll("li[data-key]")].map((row) => row.dataset.key);
  const last = all.findLastIndex((key) => keys.includes(key));
  return [...all.slice(last + 1), ...all.slice(0, last + 1).reverse()].filter((key) => !keys.includes(key));
};

const actionOf = (form, submitter) => submitter?.getAttribute("formaction") ?? form.getAttribute("action");
const fieldsOf = (form, submitter) => new URLSearchParams(new FormData(form, submitter));

// One at a time. Sends the fields of a form, and shows what came of it.
let isActing = false;
const sendAct = async (form, submitter, fields = fieldsOf(form, submitter)) => {
  if (isActing) return;
  isActing = true;
  const keys = [...fields.keys()].filter((name) => name.startsWith("item-")).map((name) => name.slice(5));
  const others = besides(keys);
  if (submitter) submitter.ariaBusy = "true";
  // Nothing is sent before its result can be shown.
  try {
    if (await settling()) await settle(await load(actionOf(form, submitter), fields), keys, others);
  } finally {
    isActing = false;
    submitter?.removeAttribute("aria-busy");
  }
};
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !form.matches("[data-act]") || actionOf(form, submitter).endsWith("/zip")) return;
  // On its own page such a form is sent as without scripts.
  if (form.dataset.act === "dialog" && !form.closest("dialog")) return;
  event.preventDefault();
  const fields = fieldsOf(form, submitter);
  form.closest("[popover]")?.hidePopover();
  if (!form.closest("dialog")) fields.set("back", listPath());
  sendAct(form, submitter, fields);
});
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-dialog]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.closest("[popover]")?.hidePopover();
  openDialog(link.href);
});
