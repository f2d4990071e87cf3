// A range of rows with shift.
{
  let last = null;
  addEventListener("click", (event) => {
    const box = event.target;
    const list = box instanceof HTMLInputElement && box.type === "checkbox" && box.closest("form[data-list]");
    if (!list) return;
    const boxes = [...list.querySelectorAll("input[type=checkbox]")];
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((one, other) => one - other);
    if (event.shiftKey && from >= 0) for (const other of boxes.slice(from, to + 1)) other.checked = box.checked;
    last = box;
  });
}
