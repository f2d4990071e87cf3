// The palette, and what the search fields find while one types. Both are a field with a list that the server makes
// (`/library/find`), by the pattern of a combobox (combobox.js).
const pause = 120, patience = 15_000;
const mostRecent = 5;

const find = document.querySelector.bind(document);
const make = document.createElement.bind(document);

const style = make("link");
style.rel = "stylesheet";
style.href = new URL("palette.css", import.meta.url);
document.head.append(style);

// MARK: Acts

// The control of the page for an act: the one that says so, or the one that has always been there.
const controls = {
  upload: "form[data-upload] input[type=file]",
  folder: "#folder-name",
  note: "main a[href$='/new-note']",
  move: "main button[formaction='/library/move']",
  "sign-out": "#sign-out",
};
const visible = (selector) => [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
const control = (act) => act === "share" ? visible("main [data-do=share]") : find(`main [data-do="${act}"]`) ?? find(controls[act] ?? null);

const canDo = (act) => {
  if (act === "theme") return true;
  if (act === "move" && !find("li input:checked")) return false;
  return Boolean(control(act));
};

// Sends fields as the page does; the page gives it along.
let submitFields = null;

const perform = (act, value) => {
  if (act === "theme") {
    return submitFields("/account/look", { theme: value, back: location.pathname + location.search }, false);
  }
  const target = control(act);
  if (target instanceof HTMLFormElement) return target.requestSubmit();
  const menu = target.closest("[popover]");
  if (menu && !menu.matches(":popover-open")) menu.showPopover();
  if (target.id === "folder-name") target.focus();
  else target.click();
};

// MARK: What was opened lately

const icon = (name) => {
  const space = "http://www.w3.org/2000/svg";
  const [picture, use] = [document.createElementNS(space, "svg"), document.createElementNS(space, "use")];
  picture.setAttribute("class", "i");
  picture.setAttribute("aria-hidden", "true");
  use.setAttribute("href", new URL(`icons.svg#${name}`, import.meta.url).pathname + `#${name}`);
  picture.append(use);
  return picture;
};

const icons = { f: "audit", m: "mail", n: "note" };

const recent = (words) => {
  const name = `recent ${find("#sign-out")?.dataset.drafts}`;
  let items = [];
  try { items = JSON.parse(localStorage.getItem(name) ?? "[]"); } catch { /* nothing was kept */ }
  const [here, opened] = [location.pathname + location.search, new URL(location).searchParams.get("open")];
  const isWanted = ({ href, open, text }) => (open ? open !== opened : href !== here)
    && text.toLowerCase().includes(words.toLowerCase());
  return items.filter(isWanted).slice(0, mostRecent).map(({ href, open, text }) => {
    const option = make("a");
    option.href = href;
    if (open) option.dataset.open = open;
    option.setAttribute("role", "option");
    option.tabIndex = -1;
    const shown = make("span");
    shown.className = "t";
    const isolated = make("bdi");
    isolated.textContent = text;
    shown.append(isolated);
    option.append(icon(icons[open?.[0]] ?? "fund"), shown);
    return option;
  });
};

const group = (label, options) => {
  const [part, heading] = [make("div"), make("h3")];
  part.setAttribute("role", "group");
  part.setAttribute("aria-label", label);
  heading.setAttribute("role", "presentation");
  heading.textContent = label;
  part.append(heading, ...options);
  return part;
};

// MARK: A field with its list

// `open` and `close` show and hide the list. Returns a function that asks anew.
const combine = (field, { isPalette, box, open, close }) => {
  const { list, status, options, isOpen, expand, choose, walk, chosen } = combobox(
    field, { name: "found", box, ask: () => ask(), alwaysChooses: isPalette });
  let request = null, timer = 0, answered = null, isWanted = false;
  const words = () => field.value.trim();

  const hide = () => {
    clearTimeout(timer);
    request?.abort();
    [answered, isWanted] = [null, false];
    choose(null);
    expand(false);
    close();
  };

  const go = (option) => {
    const { do: act } = option.dataset;
    hide();
    if (act) perform(act, option.value);
    else option.click();
  };

  const fill = (asked, found) => {
    answered = asked;
    const known = new Set();
    const parts = [...found.children].map((part) => document.adoptNode(part));
    for (const part of parts) {
      for (const button of part.querySelectorAll("[data-do]")) if (!canDo(button.dataset.do)) button.remove();
    }
    const lately = isPalette ? recent(asked) : [];
    if (lately.length > 0) parts.unshift(group(found.dataset.recent, lately));
    // A thing is named once.
    for (const part of parts) {
      for (const option of part.querySelectorAll("a")) {
        const { pathname, searchParams } = new URL(option);
        const key = option.dataset.open ?? searchParams.get("open") ?? `${pathname} ${searchParams.get("folder")}`;
        if (known.has(key) && !("all" in option.dataset)) option.remove();
        known.add(key);
      }
    }
    const isShown = (part) => (isPalette || !("ofPalette" in part.dataset)) && part.querySelector("[role=option]");
    list.replaceChildren(...parts.filter(isShown));
    list.setAttribute("aria-label", found.dataset.title);
    if (isPalette) [field.placeholder, box.ariaLabel] = [found.dataset.placeholder, found.dataset.title];
    options().forEach((option, index) => { option.id = `${list.id}-${index}`; });
    const count = options().filter((option) => !("all" in option.dataset)).length;
    status.textContent = count > 0 ? `${count}. ${found.dataset.some}` : found.dataset.none;
    expand(true);
    open();
    choose(isPalette ? options()[0] : null);
    if (isWanted && chosen()) go(chosen());
  };

  const ask = () => {
    clearTimeout(timer);
    request?.abort();
    const asked = words();
    if (!isPalette && !asked) return hide();
    const own = request = new XMLHttpRequest();
    own.open("GET", `/library/find?q=${encodeURIComponent(asked)}`);
    [own.responseType, own.timeout] = ["document", patience];
    own.addEventListener("load", () => {
      const found = own.status === 200 && own.response?.querySelector("[data-found]");
      // Where the session has ended the form leads to the page where one signs in.
      if (found) fill(asked, found);
      else if (isPalette) location.assign(`/library/search?q=${encodeURIComponent(asked)}`);
      else hide();
    });
    own.send();
  };

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  };
  // What an input method is still writing is no question yet.
  field.addEventListener("input", (event) => { if (!event.isComposing) later(); });
  field.addEventListener("compositionend", later);

  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (walk(event)) return;
    if (event.key === "Enter") {
      // A list of older words is not what one means.
      const isCurrent = answered === words();
      if (isPalette) event.preventDefault();
      if (isPalette && !isCurrent) {
        isWanted = true;
        return ask();
      }
      if (!isOpen() || !chosen() || !isCurrent) return isPalette ? undefined : hide();
      event.preventDefault();
      go(chosen());
    } else if (event.key === "Escape" && isOpen() && !isPalette) {
      event.preventDefault();
      event.stopPropagation();
      hide();
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option || !event.isTrusted) return;
    if (option.dataset.do) go(option);
    // The link does the rest, also in a new tab.
    else if (!event.ctrlKey && !event.metaKey) setTimeout(hide);
  });
  if (!isPalette) field.addEventListener("blur", hide);
  return { ask, hide };
};

// MARK: The two forms

const fields = new WeakSet();

export const typeAhead = (field) => {
  if (fields.has(field)) return;
  fields.add(field);
  const box = make("div");
  box.className = "found";
  box.popover = "manual";
  field.form.append(box);
  const { ask } = combine(field, {
    isPalette: false,
    box,
    open: () => placeAt(field, box, { least: 440, most: Infinity, highest: 560 }),
    close: () => { if (box.matches(":popover-open")) box.hidePopover(); },
  });
  // What was typed while this module came.
  if (field.value.trim() && field.value !== field.defaultValue) ask();
};

let palette = null;

export const openPalette = (submit) => {
  submitFields = submit;
  if (!palette) {
    const [dialog, line, field, key] = [make("dialog"), make("div"), make("input"), make("kbd")];
    dialog.className = "palette";
    dialog.setAttribute("aria-label", find("[data-search]").getAttribute("aria-label"));
    line.className = "typed";
    [field.type, field.maxLength] = ["text", 200];
    field.setAttribute("aria-label", dialog.ariaLabel);
    field.setAttribute("autocapitalize", "none");
    field.spellcheck = false;
    key.textContent = "esc";
    key.setAttribute("aria-hidden", "true");
    line.append(icon("search"), field, key);
    dialog.append(line);
    document.body.append(dialog);
    palette = { dialog, field, ...combine(field, { isPalette: true, box: dialog, open: () => {}, close: () => dialog.close() }) };
    // A click beside it closes it.
    dialog.addEventListener("click", (event) => { if (event.target === dialog) palette.hide(); });
  }
  const { dialog, field, ask } = palette;
  if (dialog.open) return palette.hide();
  field.value = "";
  dialog.showModal();
  ask();
};
