// The one dialog. It shows the form of a page that is there without scripts, too, and what the server says to it.
export const makeDialog = ({ make, find, additions, said }) => {
  const [dialog, head, title, close, body] = ["dialog", "div", "h2", "button", "div"].map((name) => make(name));
  dialog.setAttribute("aria-labelledby", "dialog-title");
  title.id = "dialog-title";
  head.className = "dhead";
  body.className = "dbody";
  Object.assign(close, { type: "button", className: "ib", ariaLabel: said.close, textContent: "×" });
  close.dataset.close = "";
  head.append(title, close);
  dialog.append(head, body);
  document.body.append(dialog);

  dialog.addEventListener("click", (event) => {
    if (!event.target.closest("[data-close]")) return;
    event.preventDefault();
    dialog.close();
  });
  // Where the browser cannot give the focus back, since the row was shown anew.
  let key = null;
  dialog.addEventListener("close", () => {
    if (document.activeElement === document.body) find(`li[data-key="${key}"] a.name`)?.focus();
  });

  // A field of the page below may have the same id.
  const prefix = (region) => {
    const ids = new Set([...region.querySelectorAll("[id]")].map((one) => one.id));
    for (const name of ["id", "for", "aria-describedby"]) {
      for (const one of region.querySelectorAll(`[${name}]`)) {
        const value = one.getAttribute(name);
        if (ids.has(value)) one.setAttribute(name, `dialog-${value}`);
      }
    }
  };

  const fail = (...words) => {
    body.querySelector(".failure")?.remove();
    const line = make("p");
    Object.assign(line, { className: "failure", role: "alert", tabIndex: -1 });
    line.append(...words);
    body.prepend(line);
    line.focus();
  };

  // MARK: The tree of places

  const sift = (field) => {
    const words = field.value.trim().toLowerCase();
    for (const row of body.querySelectorAll(".tree > li")) {
      row.hidden = !row.textContent.toLowerCase().includes(words) && !row.querySelector(":checked");
    }
  };
  dialog.addEventListener("input", ({ target }) => { if (target.matches("[data-sift]")) sift(target); });
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { target, key } = event;
    // Not every browser closes it by itself; nothing below it is closed along.
    if (key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      return dialog.close();
    }
    if (key === "Enter" && target.matches("[data-sift]")) {
      event.preventDefault();
      body.querySelector(".tree > li:not([hidden]) input")?.click();
      body.querySelector(".tree input:checked")?.focus();
    }
    if (!["ArrowRight", "ArrowLeft"].includes(key) || !target.matches(".tree input")) return;
    event.preventDefault();
    const button = target.closest("li").querySelector("button");
    if (button && (button.ariaExpanded === "true") === (key === "ArrowLeft")) button.click();
  });

  const shown = { part: null, fail, close: () => dialog.close() };
  shown.show = (page, region, part) => {
    shown.part = part;
    // A form that is shown again keeps the focus where it was.
    const before = dialog.open && body.contains(document.activeElement) ? document.activeElement : null;
    const [name, place, sifted] = [before?.name, before?.closest("li")?.querySelector("[name=at]")?.value,
      body.querySelector("[data-sift]")?.value];
    if (!dialog.open) key = document.activeElement?.closest("li[data-key]")?.dataset.key;
    const own = part.startsWith("#") ? region.querySelector("h2") : null;
    title.replaceChildren(...[...(own ?? page.querySelector("main h1")).childNodes].map((node) => document.importNode(node, true)));
    own?.remove();
    prefix(region);
    const failure = page.querySelector(".list > .failure");
    for (const link of failure?.querySelectorAll("a") ?? []) link.replaceWith(...link.childNodes);
    body.replaceChildren(...[failure, region].filter(Boolean).map((node) => document.adoptNode(node)));
    for (const addition of additions) addition(body);
    const field = body.querySelector("[data-sift]");
    if (field) {
      field.hidden = false;
      field.value = sifted ?? "";
      sift(field);
    }
    if (!dialog.open) dialog.showModal();
    const again = place ? body.querySelector(`[name=at][value="${place}"]`) : name && body.querySelector(`[name="${name}"]:not([type=hidden])`);
    const first = body.querySelector("[aria-invalid=true]") ?? again ?? body.querySelector(".failure")
      ?? body.querySelector(".tree input:checked, [autofocus]")
      ?? body.querySelector("input:not([type=hidden], [type=radio], [data-sift]), .tree input") ?? body.querySelector(".acts :is(button, a)");
    first?.focus();
    if (first?.matches("input[name=name]")) first.select();
  };
  return shown;
};
