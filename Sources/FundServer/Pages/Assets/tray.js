// Files that are chosen or dropped. What sends them is loaded when somebody moves on the page, and where the tray of
// the page before has something to say.
{
  const form = find("form[data-upload]");
  const keptName = `tray ${find("meta[name=changes]")?.dataset.user}`;
  const memory = (act) => {
    try { return act(sessionStorage); } catch { return null; }
  };
  const tray = atNeed("upload", ({ makeTray }) => makeTray(form, { ...common, keptName, memory }));
  const add = async (files, address) => {
    const shown = await tray();
    if (shown) shown.add(files, address);
    else fail();
  };
  if (memory((kept) => kept.getItem(keptName))) tray();
  find("#sign-out")?.addEventListener("submit", () => memory((kept) => kept.removeItem(keptName)));

  if (form) {
    // What is chosen is sent at once; without scripts a button does.
    const input = form.querySelector("input[type=file]");
    form.querySelector("button").hidden = true;
    form.addEventListener("submit", (event) => event.preventDefault());
    // With the first sign that somebody is there, since the line may be lost before they send something.
    for (const sign of ["pointermove", "touchstart", "keydown", "dragenter"]) addEventListener(sign, tray, { once: true });
    input.addEventListener("change", () => {
      form.closest("[popover]")?.hidePopover();
      add([...input.files], form.action);
      input.value = "";
    });
    // The whole list takes what is dropped, and a folder in it what is dropped there.
    const list = find(".list");
    const mark = marker();
    const holds = (event) => event.dataTransfer.types.includes("Files");
    const place = (event) => event.target.closest?.("li[data-place]");
    addEventListener("dragover", (event) => {
      if (!holds(event)) return;
      event.preventDefault();
      mark(place(event) ?? list);
    });
    addEventListener("dragleave", () => mark(null));
    addEventListener("drop", (event) => {
      if (!holds(event)) return;
      event.preventDefault();
      mark(null);
      const address = new URL(form.action);
      const folder = place(event)?.dataset.place.split("-")[1];
      if (folder) address.searchParams.set("folder", folder);
      add([...event.dataTransfer.files], address);
    });
  }
}
