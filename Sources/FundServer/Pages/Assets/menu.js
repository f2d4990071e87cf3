// The menu of a row, behind its ⋯, which without scripts leads to the page of the item, and what keys do in a list. Both
// come at need: the menu with the first ⋯, the keys with the first sign of a keyboard or a mouse. A page that is touched
// loads no keys.
{
  const menu = find("#rowmenu");
  const isNamed = (key) => /^(file|folder|fund)-/.test(key);
  const isMovable = (key) => /^(file|folder|email)-/.test(key);
  const starOf = (scope) => scope?.querySelector(".star");

  const rowmenu = atNeed("rowmenu", ({ makeRowMenu }) => makeRowMenu({
    ...common, said, settle, openDialog, menu, isNamed, isMovable, starOf,
  }));
  const withMenu = async (act) => {
    const shown = await rowmenu();
    if (shown) act(shown);
    else fail();
  };
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a.more[data-item]");
    if (!menu || !link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    withMenu(({ open }) => open(link));
  });
  enhance((part) => {
    for (const link of part.querySelectorAll("a.more[data-item]")) Object.assign(link, { role: "button", ariaHasPopup: "menu" });
  });

  // Keys that were pressed before what they do was there: they are pressed again then.
  let early = [];
  const keyboard = atNeed("keyboard", ({ begin }) => {
    removeEventListener("keydown", note);
    begin({ ...common, dialog, isNamed, isMovable, starOf, withMenu });
    for (const event of early) {
      (event.target.isConnected ? event.target : document.body).dispatchEvent(new KeyboardEvent("keydown", event));
    }
    // A key may need it when the line is lost.
    rowmenu();
  }, () => {
    if (early.some(isPlainKey)) fail();
    early = [];
  });
  const note = (event) => {
    const { key, target } = event;
    if (target.closest?.(`${typedIn}, dialog`)) return;
    // What the browser does with these is all that they do here.
    const isDone = event.defaultPrevented || /^(Enter|Tab| |Shift|Control|Alt|Meta)$/.test(key)
      || key === "Escape" && find(":popover-open, dialog[open]");
    if (!isDone) early.push(event);
    keyboard();
  };
  const moved = ({ pointerType }) => {
    if (pointerType === "touch") return;
    removeEventListener("pointermove", moved);
    keyboard();
  };
  if (menu) {
    addEventListener("keydown", note);
    addEventListener("pointermove", moved);
    // Dragging begins with either.
    const drag = atNeed("drag", ({ begin }) => begin(common));
    for (const sign of ["pointermove", "touchstart"]) addEventListener(sign, drag, { once: true, passive: true });
    // Space scrolls what is opened, and not the list.
    if (find("[data-detail]") && matchMedia("(hover)").matches) keyboard();
  }
}
