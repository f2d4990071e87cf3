// The pages of a document as pictures: by links as without scripts, by keys and swipes, and with the next one ahead.
// Only pages with a viewer load it: see previews.js, which also says what it is given.
export const turnPages = (viewer, { ask, later, loaded, ownAddress }) => {
  const part = (selector) => viewer.querySelector(selector);
  const [leaf, image, said, field] = ["[data-leaf]", "[data-leaf] img", "[data-said]", "input[name=page]"].map(part);
  const { base, largest, alternative, making, gone } = viewer.dataset;
  let page = Number(viewer.dataset.page), count = Number(viewer.dataset.count ?? Infinity), turns = 0;

  // Milliseconds until a page that could not be loaded is tried again.
  const anew = 10_000;

  const addressOf = (page) => `${base}&size=${viewer.dataset.zoom === "large" ? largest : 1600}&page=${page}`;

  // Asks until there is an answer, or another page is wanted.
  const wait = async (address, isWanted, isPending = () => {}) => {
    for (const turn = {}; isWanted();) {
      const answer = await ask(address);
      if (!answer.pause) return answer;
      isPending();
      await new Promise((resolve) => setTimeout(resolve, later(turn, answer)));
    }
    return {};
  };

  const ahead = (mine) => {
    if (field && page < count) wait(addressOf(page + 1), () => mine === turns);
  };

  const link = () => {
    const here = ownAddress();
    const to = (page, zoom = viewer.dataset.zoom) => {
      here.searchParams.set("page", page);
      here.searchParams.set("zoom", zoom);
      return here.href;
    };
    for (const one of viewer.querySelectorAll("[data-step]")) {
      const next = page + Number(one.dataset.step);
      one.hidden = next < 1 || next > count;
      one.href = to(next);
    }
    for (const one of viewer.querySelectorAll("a[data-zoom]")) {
      one.href = to(page, one.dataset.zoom);
      if (one.dataset.zoom === viewer.dataset.zoom) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    if (field) field.value = page;
    history.replaceState(history.state, "", to(page));
  };

  const show = async () => {
    turns += 1;
    const [mine, address] = [turns, addressOf(page)];
    link();
    leaf.ariaBusy = "true";
    const answer = await wait(address, () => mine === turns, () => { said.textContent = making; });
    const shown = answer.isReady && await loaded(address);
    if (mine !== turns) return;
    leaf.ariaBusy = "false";
    // How many pages there are was not known when this began.
    if (answer.why && page > 1 && count === Infinity) {
      count = page - 1;
      return step(0);
    }
    said.textContent = shown ? "" : answer.why ?? gone;
    if (!shown && !answer.why) setTimeout(() => { if (mine === turns) show(); }, anew);
    if (!shown) return;
    Object.assign(image, { width: shown.naturalWidth, height: shown.naturalHeight, src: address });
    if (field) image.alt = alternative.replace("{0}", page);
    leaf.scrollTo(0, 0);
    const frame = part("iframe");
    if (frame) {
      // Another frame: another address for the same one would be a step for Back.
      const other = frame.cloneNode();
      other.src = `${frame.dataset.base}&page=${page}`;
      frame.replaceWith(other);
    }
    ahead(mine);
  };

  const go = (to) => {
    const next = Math.min(Math.max(Math.trunc(to) || 1, 1), count);
    if (next === page && to !== page) return link();
    page = next;
    show();
  };
  const step = (by) => go(page + by);

  const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  viewer.addEventListener("click", (event) => {
    const one = event.target.closest("[data-step], a[data-zoom]");
    if (!one || !isPlain(event)) return;
    event.preventDefault();
    if (one.dataset.step) return step(Number(one.dataset.step));
    viewer.dataset.zoom = one.dataset.zoom;
    show();
  });
  if (field) {
    field.addEventListener("change", () => go(Number(field.value)));
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      go(Number(field.value));
    });
  }

  // What is larger than its place is scrolled to its end first.
  const canScroll = (by, isAcross) => {
    const [at, room, all] = isAcross
      ? [leaf.scrollLeft, leaf.clientWidth, leaf.scrollWidth] : [leaf.scrollTop, leaf.clientHeight, leaf.scrollHeight];
    return by < 0 ? at > 1 : at + room < all - 1;
  };
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1 };
  if (field) addEventListener("keydown", (event) => {
    const by = steps[event.code], isArrow = event.code?.startsWith("Arrow");
    if (!by || event.isComposing || !isPlain(event) || isArrow && !viewer.dataset.turns) return;
    if (event.target.closest?.("input, select, textarea") || canScroll(by, isArrow)) return;
    const isThere = page + by >= 1 && page + by <= count;
    if (!isThere && !isArrow) return;
    event.preventDefault();
    // These keys are not for the files beside this one.
    event.stopPropagation();
    if (isThere) step(by);
  }, true);

  let start = null;
  leaf.addEventListener("touchstart", ({ touches }) => {
    start = field && touches.length === 1 && visualViewport.scale === 1 && viewer.dataset.zoom === "page" ? touches[0] : null;
  }, { passive: true });
  leaf.addEventListener("touchend", ({ changedTouches: [end] }) => {
    if (!start) return;
    const [across, down] = [end.clientX - start.clientX, end.clientY - start.clientY];
    if (Math.abs(across) > 48 && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? 1 : -1);
  });

  // The picture came with the page, unless it is still being made.
  if (!image.complete) {
    image.addEventListener("load", () => ahead(turns), { once: true });
    image.addEventListener("error", show, { once: true });
  } else if (image.naturalWidth) ahead(turns);
  else show();
};
