// What scripts add to the pages; each page works without them.
const root = document.documentElement;
const find = document.querySelector.bind(document);

// What is to be done to each part of a page: to all of it when it came, and to what is shown anew later.
const additions = [];
const enhance = (addition) => {
  additions.push(addition);
  addition(document);
};

// A page as nodes, and no text that would have to become markup; null when it cannot be had. `path` is where it was
// found: another one after signing out.
const load = (address) => new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document";
  request.addEventListener("loadend", () => resolve({
    page: request.status === 200 ? request.response : null,
    path: new URL(request.responseURL || location).pathname,
  }));
  request.send();
});

// Focus on what went wrong.
find(".failure")?.focus();
