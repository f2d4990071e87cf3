import { ask, later } from "./previews.js";

// The pages of a document below each other. Those that are near are fetched by the browser itself; here the ones that
// are still being made are asked for, the page in sight is told, and its size changes without another page.
export const showPages = (viewer, region, { make, ownAddress, again }) => {
  const part = (selector) => region.querySelector(selector);
  const [said, field] = [viewer.querySelector("[data-said]"), part("input[name=page]")];
  const { base, largest, alternative, making, gone } = viewer.dataset;
  const count = Number(viewer.dataset.count ?? 0);
  const body = viewer.parentElement;
  const zooms = ["page", "width", "large"];
  // Milliseconds until a page that could not be loaded is tried again.
  const anew = 10_000;
  const leaves = () => [...viewer.querySelectorAll("[data-leaf]")];
  const numberOf = (leaf) => Number(leaf.dataset.leaf);
  const addressOf = (number) => `${base}&size=${viewer.dataset.zoom === "large" ? largest : 1600}&page=${number}`;

  // MARK: What is not there yet

  const mend = async (leaf) => {
    if (leaf.classList.contains("wanted")) return;
    leaf.classList.add("wanted");
    const image = leaf.firstElementChild, number = numberOf(leaf);
    for (const turn = {}; leaf.isConnected;) {
      const answer = await ask(addressOf(number));
      if (!leaf.isConnected) return;
      if (answer.isReady) {
        said.textContent = "";
        // How many pages there are is known with the first one.
        if (!count) return again();
        leaf.classList.remove("wanted");
        image.src = addressOf(number);
        return;
      }
      if (answer.why !== undefined) {
        said.textContent = "";
        leaf.classList.remove("wanted");
        return leaf.replaceChildren(Object.assign(make("p"), { className: "hint", textContent: answer.why }));
      }
      said.textContent = answer.pause ? making : gone;
      await new Promise((resolve) => setTimeout(resolve, answer.pause ? later(turn, answer) : anew));
    }
  };
  const watch = (image) => {
    image.addEventListener("error", () => mend(image.parentElement));
    if (image.complete && !image.naturalWidth && image.loading !== "lazy") mend(image.parentElement);
  };
  for (const leaf of leaves()) watch(leaf.firstElementChild);

  // MARK: Sections

  // Pages of other sections, each as those that came.
  const leafOf = (number) => {
    const leaf = leaves()[0].cloneNode(true);
    leaf.classList.remove("wanted");
    leaf.id = `p${number}`;
    leaf.dataset.leaf = number;
    const image = leaf.firstElementChild;
    Object.assign(image, { loading: "lazy", alt: alternative.replace("{0}", number) });
    image.src = addressOf(number);
    watch(image);
    return leaf;
  };
  const fill = (from, to, put) => {
    const made = [];
    for (let number = from; number <= to; number += 1) made.push(leafOf(number));
    put(made);
  };
  if (count > 1) {
    const shown = leaves(), [first, last] = [shown[0], shown.at(-1)];
    const height = first.offsetTop;
    fill(numberOf(last) + 1, count, (made) => last.after(...made));
    fill(1, numberOf(first) - 1, (made) => first.before(...made));
    for (const link of viewer.querySelectorAll("[data-section]")) link.parentElement.remove();
    body.scrollTop += first.offsetTop - height;
  }

  // MARK: The page in sight

  const scroller = () => (body.scrollHeight > body.clientHeight + 1 && getComputedStyle(body).overflowY !== "visible" ? body : document.scrollingElement);
  const top = () => (scroller() === body ? body.getBoundingClientRect().top : 56);
  let page = Number(viewer.dataset.page), timer = 0;

  const keep = () => {
    const here = ownAddress();
    const values = { page: page > 1 ? page : null, zoom: viewer.dataset.zoom === "width" ? null : viewer.dataset.zoom };
    for (const [name, value] of Object.entries(values)) {
      if (value === null) here.searchParams.delete(name);
      else here.searchParams.set(name, value);
    }
    here.hash = "";
    history.replaceState(history.state, "", here);
    const frame = part(".wording iframe");
    if (!frame || frame.src.endsWith(`&page=${page}`)) return;
    // Another frame: another address for the same one would be a step for Back.
    const other = frame.cloneNode();
    other.src = `${frame.dataset.base}&page=${page}`;
    frame.replaceWith(other);
  };

  const look = () => {
    const middle = top() + (scroller() === body ? body.clientHeight : innerHeight) / 3;
    const all = leaves();
    // By halves: a document may have thousands of pages.
    let [low, high] = [0, all.length - 1];
    while (low < high) {
      const half = (low + high + 1) >> 1;
      if (all[half].getBoundingClientRect().top <= middle) low = half;
      else high = half - 1;
    }
    const now = all[low] ? numberOf(all[low]) : page;
    if (now === page) return;
    page = now;
    if (field && document.activeElement !== field) field.value = page;
    clearTimeout(timer);
    timer = setTimeout(() => { if (viewer.isConnected) keep(); }, 300);
  };
  const onScroll = () => { if (viewer.isConnected) look(); else removeEventListener("scroll", onScroll, true); };
  addEventListener("scroll", onScroll, { capture: true, passive: true });

  const go = (number, behavior = "instant") => {
    const next = Math.min(Math.max(Math.trunc(number) || 1, 1), Math.max(count, 1));
    const leaf = viewer.querySelector(`[data-leaf="${next}"]`);
    if (!leaf) return;
    page = next;
    if (field) field.value = next;
    const by = leaf.getBoundingClientRect().top - top() - 16;
    scroller().scrollBy({ top: by, behavior });
    keep();
  };
  if (field) {
    field.addEventListener("change", () => go(Number(field.value)));
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      go(Number(field.value));
    });
  }
  if (page > 1) go(page);

  // MARK: Its size

  const links = () => [...region.querySelectorAll("a[data-zoom]")];
  const resize = (by) => {
    const next = zooms[zooms.indexOf(viewer.dataset.zoom) + by];
    if (!next) return;
    viewer.dataset.zoom = next;
    if (largest !== "1600") for (const leaf of leaves()) if (!leaf.classList.contains("wanted")) leaf.firstElementChild.src = addressOf(numberOf(leaf));
    go(page);
    mark();
  };
  const mark = () => {
    const at = zooms.indexOf(viewer.dataset.zoom);
    for (const link of links()) {
      const isOff = link.dataset.zoom === "smaller" ? at === 0 : at === zooms.length - 1;
      if (isOff) link.setAttribute("aria-disabled", "true");
      else link.removeAttribute("aria-disabled");
    }
  };
  region.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-zoom]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    resize(link.dataset.zoom === "smaller" ? -1 : 1);
  });
  mark();
};
