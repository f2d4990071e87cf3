// What scripts add to the pages; each page works without them.
const root = document.documentElement;
const find = document.querySelector.bind(document);

// What is to be done to each part of a page: to all of it when it came, and to what is shown anew later.
const additions = [];
const enhance = (addition) => {
  additions.push(addition);
  addition(document);
};

// Focus on what went wrong.
find(".failure")?.focus();
