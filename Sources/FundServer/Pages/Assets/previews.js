// Pictures of files. A thumbnail that is not made yet is asked for where its badge is in sight, and then takes its place
// as the server writes it.
// Milliseconds between two questions: twice as long each time. What is not asked for within ten seconds is made later.
const [leastPause, mostPause] = [1_000, 8_000];
export const later = (turn, answer) => {
  const pause = Math.max(answer.pause, turn.pause ?? leastPause);
  turn.pause = Math.min(2 * pause, mostPause);
  return pause;
};

// With `pause` while it is being made, with `why` when it cannot be, `isHeld` when it is quarantined, and with nothing when the file or the session is
// gone. What is ready is kept by the browser.
export const ask = async (address) => {
  const answer = await fetch(address, { headers: { Accept: "application/json" }, redirect: "manual" }).catch(() => null);
  if (answer?.status === 200 && await answer.blob().catch(() => null)) return { isReady: true };
  if ([undefined, 200, 202, 503].includes(answer?.status)) return { pause: 1000 * (answer?.headers.get("Retry-After") ?? 1) };
  if (![403, 422].includes(answer.status)) return {};
  return { why: (await answer.json().catch(() => null))?.detail ?? "", isHeld: answer.status === 403 };
};

export const showPreviews = ({ make, findAll, enhance }) => {
  const loaded = async (address) => {
    const image = make("img");
    image.src = address;
    return await image.decode().then(() => image, () => null);
  };

  const fadeIn = (image) => {
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) image.animate([{ opacity: 0 }, {}], { duration: 120 });
  };

  // MARK: Thumbnails

  // Connections that are left for all else: a browser opens six.
  const most = 4;
  // What came of an address. Rows that are loaded anew are shown as they are already.
  const outcomes = new Map();
  // Badges in sight, with when they are asked for again.
  const inSight = new Map();
  let asking = 0, timer = 0;

  // Badges are hidden from screen readers, and so are their titles.
  const sayWhy = (badge, why) => {
    badge.title = why;
    badge.after(Object.assign(make("span"), { className: "hidden", textContent: why }));
  };

  const settle = (badge, { width, height, why, isHeld }) => {
    const address = badge.dataset.preview;
    badge.removeAttribute("data-preview");
    if (!width) {
      if (isHeld && badge.dataset.held) badge.after(Object.assign(make("b"), { className: "held", textContent: badge.dataset.held, ariaHidden: "true" }));
      if (why) sayWhy(badge, why);
      return;
    }
    const image = make("img");
    Object.assign(image, { alt: "", loading: "lazy", decoding: "async", width, height });
    if (width > height) image.className = "wide";
    image.src = address;
    badge.classList.add("pic");
    badge.prepend(image);
  };

  const pump = () => {
    clearTimeout(timer);
    const now = performance.now();
    let soonest = Infinity;
    for (const [badge, turn] of inSight) {
      if (asking >= most || document.hidden) return;
      if (turn.isAsked) continue;
      if (turn.due > now) soonest = Math.min(soonest, turn.due);
      else askFor(badge, turn);
    }
    if (soonest < Infinity) timer = setTimeout(pump, soonest - now);
  };

  const askFor = async (badge, turn) => {
    const address = badge.dataset.preview;
    asking += 1;
    turn.isAsked = true;
    const answer = await ask(address);
    const image = answer.isReady && await loaded(address);
    asking -= 1;
    turn.isAsked = false;
    if (answer.pause) turn.due = performance.now() + later(turn, answer);
    else {
      outcomes.set(address, { width: image?.naturalWidth, height: image?.naturalHeight, why: answer.why, isHeld: answer.isHeld });
      for (const other of findAll("[data-preview]")) if (other.dataset.preview === address) forget(other);
    }
    pump();
  };

  const forget = (badge) => {
    observer.unobserve(badge);
    inSight.delete(badge);
    settle(badge, outcomes.get(badge.dataset.preview));
  };

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) inSight.delete(target);
      else if (target.dataset.preview && !inSight.has(target)) inSight.set(target, { due: 0 });
    }
    pump();
  }, { rootMargin: "200px 0px" });

  const watch = (part) => {
    for (const badge of part.querySelectorAll("[data-preview]")) {
      if (outcomes.has(badge.dataset.preview)) forget(badge);
      else if (badge.ownerDocument === document) observer.observe(badge);
    }
  };
  enhance(watch);
  // Rows that live.js took over from a page that it loaded.
  addEventListener("change", ({ target }) => { if (target === window) watch(document); });
  document.addEventListener("visibilitychange", pump);

  // What the server had a moment ago and has no more: it is made anew.
  const askAnew = (image) => {
    const [badge, address] = [image.parentElement, image.getAttribute("src")];
    if (outcomes.has(address)) return;
    image.remove();
    badge.classList.remove("pic");
    badge.dataset.preview = address;
    watch(badge.parentElement);
  };
  addEventListener("error", ({ target }) => { if (target.matches?.(".pic > img")) askAnew(target); }, true);
  document.addEventListener("load", ({ target }) => { if (target.matches?.(".pic > img")) fadeIn(target); }, true);
  for (const image of findAll(".pic > img")) if (image.complete && !image.naturalWidth) askAnew(image);

};
