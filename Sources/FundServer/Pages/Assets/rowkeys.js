// The menus and rows of a list by keys.
{
  const rename = (key) => withMenu((menu) => menu.rename(key));
  const move = (key) => withMenu((menu) => menu.move(key));
  const remove = (key) => withMenu((menu) => menu.remove(key));

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
    const open = (button) => {
      button.click();
      find(`#${button.getAttribute("popovertarget")} :is(a, button)`)?.focus();
    };
    const opened = (act) => (place ? null : find(`[data-detail] [data-do=${act}]`));
    const item = link?.dataset.item ?? "";
    const shares = () => {
      const button = chosen("share") ?? opened("share");
      if (button) return () => open(button);
      return /^(file|folder|email|note)-/.test(item) && (() => withMenu((menu) => menu.go("send", item)));
    };
    // In news s marks an item, as feed readers have it.
    const isNews = !place?.matches(".clip") && find("[data-news]");
    const marks = () => isNews && starOf(scope ?? find("[data-detail] > .bar"));
    const replies = () => (opened("reply") ? () => opened("reply").click()
      : row && item.startsWith("email-") && (() => withMenu((menu) => menu.go("reply", item))));
    const removes = () => (chosen("delete") ? () => chosen("delete").click() : row && link && (() => remove(link.dataset.item)));
    const isHere = event.key === "F2" && !event.target.matches?.("input:not([type=checkbox])");
    const act = isHere ? link && isNamed(link.dataset.item) && (() => rename(link.dataset.item)) : isPlainKey(event) && !event.shiftKey && ({
      x: row?.querySelector(".pick input") && (() => row.querySelector(".pick input").click()),
      f: starOf(scope) && (() => starOf(scope).click()),
      m: chosen("move") ? () => chosen("move").click() : link && isMovable(link.dataset.item) && (() => move(link.dataset.item)),
      s: isNews ? marks() && (() => marks().click()) : shares(), r: replies(), Delete: removes(), Backspace: removes(),
      z: find(".toasts form button") && (() => find(".toasts form button").click()),
    })[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
