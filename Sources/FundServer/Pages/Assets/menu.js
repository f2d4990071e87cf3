// The one menu of a row, behind its ⋯, which without scripts leads to the page of the item; and the keys of rows.
{
  const menu = find("#rowmenu");
  const choice = (name) => menu.querySelector(`[data-for="${name}"]`);
  const rowOf = (key) => find(`li[data-key="${key}"]`);
  // Of the row, or of the bar where the button stands.
  let opener = null, item = "";
  const starOf = (scope) => scope?.querySelector(".star");

  const rename = async (key) => {
    const row = rowOf(key);
    const [kind, id] = key.split("-");
    if (!row) return openDialog(kind === "fund" ? `/library/funds/${id}/manage#rename` : `/library/items/${kind}/${id}#rename`);
    const module = await import("./rename.js");
    module.rename(row, { make, find, load, settle, listPath, failed: said.failed });
  };
  const isNamed = (key) => /^(file|folder|fund)-/.test(key);
  const isMovable = (key) => /^(file|folder|email)-/.test(key);
  const remove = (key) => {
    const [kind, id] = key.split("-");
    if (kind === "fund") openDialog(`/library/funds/${id}/manage#delete`);
    else submitFields("/library/delete", { [`item-${key}`]: 1 });
  };
  const move = (key) => submitFields("/library/move", { [`item-${key}`]: 1 });

  const acts = {
    star: () => starOf(opener.closest("[data-key], .bar"))?.click(),
    rename: () => rename(item), move: () => move(item), delete: () => remove(item),
  };

  const open = (link) => {
    [opener, item] = [link, link.dataset.item];
    const [kind, id] = item.split("-");
    const row = link.closest("[data-key]");
    const star = starOf(row ?? link.closest(".bar"));
    const name = row?.querySelector("a.name");
    const gets = { file: `/library/files/${id}/content`, email: `/library/emails/${id}/original`, fund: `/library/funds/${id}/zip` };
    if (name) choice("open").href = name.href;
    if (gets[kind]) choice("get").href = gets[kind];
    choice("more").href = link.href;
    const [add, take] = choice("star").querySelectorAll("span");
    [add.hidden, take.hidden] = [star?.ariaPressed === "true", star?.ariaPressed !== "true"];
    // Mail is not copied.
    const [either, alone] = choice("move").querySelectorAll("span");
    [either.hidden, alone.hidden] = [kind === "email", kind !== "email"];
    const isThere = {
      open: name, get: gets[kind] || kind === "folder", star, rename: isNamed(item), move: isMovable(item),
      more: kind !== "note", delete: true,
    };
    for (const [which, is] of Object.entries(isThere)) choice(which).hidden = !is;
    menu.showPopover({ source: link });
    menu.querySelector(":is(a, button):not([hidden])").focus();
  };

  menu?.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-for]")?.dataset.for;
    if (!chosen) return;
    menu.hidePopover();
    // A folder is packed by a form.
    if (chosen === "get" && item.startsWith("folder")) {
      event.preventDefault();
      const fund = rowOf(item).dataset.place.split("-")[0];
      submitFields(`/library/funds/${fund}/zip`, { [`item-${item}`]: 1 }, false);
    } else acts[chosen]?.();
  });
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a.more[data-item]");
    if (!menu || !link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link);
  });
  enhance((part) => {
    for (const link of part.querySelectorAll("a.more[data-item]")) Object.assign(link, { role: "button", ariaHasPopup: "menu" });
  });

  // MARK: Keys

  const step = (list, by) => {
    const all = [...list.querySelectorAll(":is(a, button):not([hidden])")].filter((one) => one.checkVisibility());
    all.at((all.indexOf(document.activeElement) + by) % all.length)?.focus();
  };
  addEventListener("keydown", (event) => {
    const shown = event.target.closest?.(".menu:popover-open");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (shown && by && !event.target.matches("input")) {
      event.preventDefault();
      return step(shown, by);
    }
    // A file below its mail is no row: what is done to a row is not meant.
    const place = event.target.closest?.("li[data-key], .clip");
    const row = place?.matches("[data-key]") ? place : null;
    // Where no row has the focus, what is open beside the list is meant; it is not deleted by a key.
    const scope = place ? row : find("[data-detail] > .bar");
    const link = scope?.querySelector("a.more[data-item]");
    const chosen = (act) => {
      const button = find(`.chosen [data-do=${act}]`);
      return button?.checkVisibility() ? button : null;
    };
    const removes = () => (chosen("delete") ? () => chosen("delete").click() : row && link && (() => remove(link.dataset.item)));
    const isHere = event.key === "F2" && !event.target.matches?.("input:not([type=checkbox])");
    const act = isHere ? link && isNamed(link.dataset.item) && (() => rename(link.dataset.item)) : isPlainKey(event) && !event.shiftKey && ({
      x: row?.querySelector(".pick input") && (() => row.querySelector(".pick input").click()),
      f: starOf(scope) && (() => starOf(scope).click()),
      m: chosen("move") ? () => chosen("move").click() : link && isMovable(link.dataset.item) && (() => move(link.dataset.item)),
      Delete: removes(), Backspace: removes(),
      z: find(".toasts form button") && (() => find(".toasts form button").click()),
    })[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
