// What scripts add to the pages; each page works without them.
const root = document.documentElement;
const find = document.querySelector.bind(document);
const findAll = document.querySelectorAll.bind(document);
const make = document.createElement.bind(document);

const countRows = () => findAll("[data-rows] > li").length;
const paging = (page = document) => page.querySelector("[data-paging]");

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
