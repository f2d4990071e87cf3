// The desk by keys: each does what a button of the page does, or moves in its list.
if (find("[data-desk]")) {
  const { root, rows, current, boxOf, chosen, list, mark, open, act, pending, isWide, showing, sign } = desk;

  const move = (step) => {
    const all = rows(), at = all.indexOf(current());
    return at < 0 ? all[step > 0 ? 0 : all.length - 1] : all[at + step];
  };
  const group = (step) => {
    const groups = [...findAll("[data-group]")].filter((one) => one.querySelector("li.row:not([hidden])"));
    const at = groups.indexOf(current()?.closest("[data-group]"));
    const to = groups[at < 0 ? 0 : at + step];
    if (to?.tagName === "DETAILS") to.open = true;
    return to?.querySelector("li.row:not([hidden])");
  };
  const go = (row) => {
    if (!row) return;
    if (isWide() && list()) open(row);
    else {
      mark(row);
      row.querySelector("a.name").focus();
    }
  };
  const tick = (row, on) => {
    if (!row) return;
    boxOf(row).checked = on ?? !boxOf(row).checked;
    dispatchEvent(new Event("change"));
  };
  const buttonOf = (name) => name === "z" && find(".toasts form button") || find(`[data-press="${name}"]`);
  // A key that comes early is meant for the message that is marked, and for no other; one can wait.
  let isWaiting = false;
  const press = async (name) => {
    const meant = current()?.dataset.id;
    const isUndo = name === "z";
    if (isWaiting) return;
    isWaiting = true;
    if (isUndo) while (pending.size > 0) await Promise.allSettled(pending);
    else while (showing()) await showing();
    isWaiting = false;
    if (!isUndo && find("article[data-message]") && current()?.dataset.id !== meant) return;
    if (/^[1-5rdh]$/.test(name) && performance.now() < desk.deafUntil) return;
    const button = buttonOf(name);
    if (!button) return;
    const ids = chosen().map((row) => row.dataset.id);
    const form = button.form;
    // What is chosen is done at once, whatever is shown beside it.
    if (ids.length > 0 && isWide() && list() && form && "acts" in form.dataset && button.type === "submit"
      && !("choose" in button.dataset)) {
      return act(form, button, ids);
    }
    button.click();
    if (button.type === "checkbox") button.focus();
  };
  const steps = {
    j: () => go(move(1)), k: () => go(move(-1)),
    J: () => { tick(current(), true); go(move(1)); tick(current(), true); },
    K: () => { tick(current(), true); go(move(-1)); tick(current(), true); },
    o: () => current()?.querySelector("a.name").click(),
    x: () => tick(current()),
    "*": () => {
      const all = [...current()?.closest("ul")?.querySelectorAll("li.row:not([hidden])") ?? []];
      const on = all.some((row) => !boxOf(row).checked);
      for (const row of all) boxOf(row).checked = on;
      dispatchEvent(new Event("change"));
    },
    "[": () => go(group(-1)), "]": () => go(group(1)),
    "/": () => find("[data-find]")?.focus(),
    v: () => {
      const views = [...findAll("[data-view]")];
      const head = find("details.head");
      const next = views[views.findIndex((view) => view.hasAttribute("aria-current")) + 1];
      // Text, HTML, as it came, and text again.
      if (head && !head.open && !next) {
        head.open = true;
        head.scrollIntoView({ block: "nearest" });
      } else {
        if (head) head.open = false;
        (next ?? views[0])?.click();
      }
    },
  };
  addEventListener("keydown", (event) => {
    const hasModifier = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    if (!("deskkeys" in root.dataset) || event.isComposing || hasModifier || event.defaultPrevented) return;
    if (find("dialog[open]")) return;
    if (event.target.closest?.("input:not([type=checkbox]), select, textarea, audio, video")) return;
    const name = sign(event);
    // Where the key presses what has the focus.
    if (name === "o" && event.key === "Enter" && event.target.closest?.("a, button, summary, input")) return;
    const step = steps[name];
    if (!step && !showing() && pending.size === 0 && !buttonOf(name)) return;
    event.preventDefault();
    // A key that is held moves; it does nothing else over and over.
    if (event.repeat && !/^[jkJK]$/.test(name)) return;
    if (step) step();
    else press(name);
  });
}
