// What scripts add to the pages; each page works without them.
const root = document.documentElement;
const find = document.querySelector.bind(document);
const findAll = document.querySelectorAll.bind(document);
const make = document.createElement.bind(document);

const countRows = () => findAll("[data-rows] > li").length;
const paging = (page = document) => page.querySelector("[data-paging]");

// Dates in the manner of the reader's region, if they read that language. To make a format takes twenty milliseconds, to
// use it few microseconds.
const manner = navigator.languages.find((tag) => tag.slice(0, 2) === root.lang.slice(0, 2)) ?? root.lang;
const dateFormat = (options) => {
  let made;
  return (date) => (made ??= new Intl.DateTimeFormat(manner, options)).format(date);
};

// Of this page, without what it says only once.
const ownAddress = () => {
  const address = new URL(location);
  for (const name of ["done", "undo"]) address.searchParams.delete(name);
  return address;
};

// What is to be done to each part of a page: to all of it when it came, and to what is shown anew later.
const additions = [];
const enhance = (addition) => {
  additions.push(addition);
  addition(document);
};

// Loads a page of this server: its document, or null and the page that says why there is none, and the path that the
// answer came from, which is the one of signing in when the session has ended.
const load = (address) => new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document";
  request.timeout = 60_000;
  request.addEventListener("loadend", () => resolve({
    page: request.status === 200 ? request.response : null,
    refusal: request.status === 200 ? null : request.response,
    path: new URL(request.responseURL || location).pathname,
  }));
  request.send();
});

// Focus on what went wrong.
find(".failure")?.focus();

// The search field of the shell by "/" and by Ctrl K or ⌘ K. The page's own field comes first.
addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isHeld = event.ctrlKey || event.metaKey;
  const isCommand = isHeld && event.code === "KeyK";
  const isSlash = event.key === "/" && !isHeld && find("[data-slash]") && !event.target.closest?.("input, textarea, select");
  if (!isCommand && !isSlash) return;
  event.preventDefault();
  const field = [...findAll("main [data-search]"), ...findAll("[data-search]")].find((one) => one.checkVisibility());
  field?.focus();
  field?.select();
});
// A menu that opens gives the focus to its first field.
addEventListener("toggle", (event) => {
  if (event.newState === "open") event.target.querySelector?.("input:not([type=hidden], [type=file])")?.focus();
}, true);
