// What scripts add to the pages; each page works without them.
const root = document.documentElement;
const find = document.querySelector.bind(document);
const findAll = document.querySelectorAll.bind(document);
const make = document.createElement.bind(document);

// A row may stand for several versions of a file.
const countRows = () => [...findAll("[data-rows] > li")].reduce((sum, row) => sum + Number(row.dataset.count ?? 1), 0);
const paging = (page = document) => page.querySelector("[data-paging]");

// Dates in the manner of the reader's region, if they read that language. To make a format takes twenty milliseconds, to
// use it few microseconds.
const manner = navigator.languages.find((tag) => tag.slice(0, 2) === root.lang.slice(0, 2)) ?? root.lang;
const dateFormat = (options) => {
  let made;
  return (date) => (made ??= new Intl.DateTimeFormat(manner, options)).format(date);
};

const clock = dateFormat({ timeStyle: "short" });

// Of this page, without what it says only once.
const ownAddress = () => {
  const address = new URL(location);
  for (const name of ["done", "undo", "as", "letter", "kept", "act"]) address.searchParams.delete(name);
  return address;
};

// Fields of an address that say what is opened beside a list, and how it is shown.
const isOfItem = (name, value) => ["open", "info", "page", "zoom", "pictures", "part"].includes(name)
  || name === "view" && value === "html";
// Of the list alone.
const listAddress = () => {
  const address = ownAddress();
  for (const [name, value] of [...address.searchParams]) if (isOfItem(name, value)) address.searchParams.delete(name);
  address.hash = "";
  return address;
};
// For the field `back` of an act: this list.
const listPath = () => {
  const { pathname, search } = listAddress();
  return pathname + search;
};
// The link of the row whose item is opened.
const openLink = () => find("[data-rows] a.name[aria-current]");

// Where keys write.
const typedIn = "input:not([type=checkbox], [type=radio]), select, textarea";
// Whether a key alone may do something: not in fields, with modifiers, or while a word is composed. The server leaves
// the mark out where a person switched such keys off.
const isPlainKey = (event) => document.body.hasAttribute("data-keys") && !event.defaultPrevented && !event.isComposing
  && !event.ctrlKey && !event.metaKey && !event.altKey
  && !event.target.closest?.(`${typedIn}, audio, video, dialog, [popover]`);

// What is to be done to each part of a page: to all of it when it came, and to what is shown anew later.
const additions = [];
const enhance = (addition) => {
  additions.push(addition);
  addition(document);
};

// Loads a page of this server, or sends it the fields of a form: its document, or null and the page that says why there
// is none, and the address that the answer came from, which is the one of signing in when the session has ended.
const load = (address, fields) => new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.open(fields ? "POST" : "GET", address);
  request.responseType = "document";
  request.timeout = 60_000;
  request.addEventListener("loadend", () => {
    const { status, response } = request;
    const answered = new URL(request.responseURL || location);
    resolve({
      page: status === 200 ? response : null, refusal: status === 200 ? null : response,
      path: answered.pathname, address: answered,
    });
  });
  request.send(fields);
});

// Sends fields as the page's forms do, and comes back to this page. An act is what acts.js shows without a load.
const submitFields = (action, fields, isAct = true) => {
  const form = make("form");
  Object.assign(form, { method: "post", action, hidden: true });
  if (isAct) form.dataset.act = "";
  const all = { csrf: find("meta[name=csrf]").content, back: listPath(), ...fields };
  for (const [name, value] of Object.entries(all)) {
    const field = make("input");
    [field.type, field.name, field.value] = ["hidden", name, value];
    form.append(field);
  }
  document.body.append(form);
  form.requestSubmit();
  if (isAct) form.remove();
};

// Marks the one element over which something is dragged.
const marker = () => {
  let over = null;
  return (element) => {
    over?.classList.remove("over");
    over = element || null;
    over?.classList.add("over");
  };
};

// A row that is read is no longer marked as new.
const unmark = (row) => {
  row.classList.remove("fresh");
  row.querySelector(".new")?.remove();
};

// Names of this file for the scripts that are imported at need.
const common = {
  make, find, findAll, enhance, additions, load, paging, countRows, dateFormat, clock, ownAddress, isOfItem, listAddress,
  listPath, openLink, submitFields, isPlainKey, typedIn, marker, unmark,
};

// Imports a script at its first need: a function that gives what `make` takes from the script. Where it cannot be had, the
// function gives what `without` does, and the next need asks for it again.
const atNeed = (name, make, without) => {
  let part = null;
  return () => part ??= import(`./${name}.js`).then(make, () => {
    part = null;
    return without?.();
  });
};

// Shows a list as it is after an act; live.js has it where lists are.
let takeOver = null;

// Focus on what went wrong.
find(".failure")?.focus();

// The search fields by "/", the page's own first, and the palette by Ctrl K or ⌘ K. What they find while one types comes
// with palette.js at its first use.
{
  const palette = atNeed("palette", (palette) => palette);
  const isApple = /Mac|iPad|iPhone/.test(navigator.platform);
  const fields = "input, textarea, select";
  const focusField = () => {
    const field = [...findAll("main [data-search]"), ...findAll("[data-search]")].find((one) => one.checkVisibility());
    field?.focus();
    field?.select();
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || !find("[data-search]")) return;
    const isHeld = event.ctrlKey || event.metaKey;
    // With Ctrl K one cuts a line in the fields of Apple's systems.
    const isCommand = isHeld && event.code === "KeyK" && !(isApple && !event.metaKey && event.target.closest?.(fields));
    const isSlash = event.key === "/" && !isHeld && find("[data-slash]") && !event.target.closest?.(fields);
    if (!isCommand && !isSlash) return;
    event.preventDefault();
    if (isSlash) focusField();
    else palette().then((palette) => (palette ? palette.openPalette(submitFields) : focusField()));
  });
  addEventListener("focusin", ({ target }) => {
    // Without it a form is left.
    if (target.matches?.("[data-search]")) palette().then((palette) => palette?.typeAhead(target));
  });
}
// A menu that opens gives the focus to its first field.
addEventListener("toggle", (event) => {
  // A dialog says so, too, and knows where its focus belongs.
  if (event.newState === "open" && event.target.popover) event.target.querySelector?.("input:not([type=hidden], [type=file])")?.focus();
}, true);
