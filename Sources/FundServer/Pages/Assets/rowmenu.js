// The one menu of a row, and what is chosen in it. In front of it stands rename.js; see PageAssets.
export const makeRowMenu = ({
  make, find, load, listPath, submitFields, said, settle, openDialog, menu, isNamed, isMovable, starOf,
}) => {
  const choice = (name) => menu.querySelector(`[data-for="${name}"]`);
  const rowOf = (key) => find(`li[data-key="${key}"]`);
  // Of the row, or of the bar where the button stands.
  let opener = null, item = "";

  const rename = (key) => {
    const row = rowOf(key);
    const [kind, id] = key.split("-");
    if (!row) return openDialog(kind === "fund" ? `/library/funds/${id}/manage#rename` : `/library/items/${kind}/${id}#rename`);
    renameRow(row, { make, find, load, settle, listPath, failed: said.failed });
  };
  const remove = (key) => {
    const [kind, id] = key.split("-");
    if (kind === "fund") openDialog(`/library/funds/${id}/manage#delete`);
    else submitFields("/library/delete", { [`item-${key}`]: 1 });
  };
  const move = (key) => submitFields("/library/move", { [`item-${key}`]: 1 });

  // Where an item goes to other people; a mail is passed on with its text.
  const addressOf = (way, key) => {
    const [kind, id] = key.split("-");
    const what = way === "reply" ? `reply=${id}` : way === "link" ? `items=${key}`
      : kind === "email" ? `forward=${id}` : `item-${key}=1`;
    return `/library/${way === "link" ? "links/new" : "send"}?${what}&back=${encodeURIComponent(listPath())}`;
  };
  const go = (way, key) => location.assign(addressOf(way, key));

  const acts = {
    star: () => starOf(opener.closest("[data-key], .bar"))?.click(),
    rename: () => rename(item), move: () => move(item), delete: () => remove(item),
  };

  const open = (link) => {
    [opener, item] = [link, link.dataset.item];
    const [kind, id] = item.split("-");
    const row = link.closest("[data-key]");
    const star = starOf(row ?? link.closest(".bar"));
    const name = row?.querySelector("a.name"), isShared = kind !== "fund";
    const gets = { file: `/library/files/${id}/content`, email: `/library/emails/${id}/original`, fund: `/library/funds/${id}/zip` };
    if (name) choice("open").href = name.href;
    if (gets[kind]) choice("get").href = gets[kind];
    choice("more").href = link.href;
    const [add, take] = choice("star").querySelectorAll("span");
    [add.hidden, take.hidden] = [star?.ariaPressed === "true", star?.ariaPressed !== "true"];
    // Mail is not copied.
    for (const name of ["move", "send"]) {
      const [either, alone] = choice(name).querySelectorAll("span");
      [either.hidden, alone.hidden] = [kind === "email", kind !== "email"];
    }
    for (const way of ["reply", "send", "link"]) choice(way).href = addressOf(way, item);
    const isThere = {
      open: name, get: gets[kind] || kind === "folder", star, rename: isNamed(item), move: isMovable(item),
      reply: kind === "email", send: isShared, link: isShared, shared: isShared,
      more: kind !== "note", delete: true,
    };
    for (const [which, is] of Object.entries(isThere)) choice(which).hidden = !is;
    menu.showPopover({ source: link });
    menu.querySelector(":is(a, button):not([hidden])").focus();
  };

  menu.addEventListener("click", (event) => {
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

  return { open, rename, move, remove, go };
};
