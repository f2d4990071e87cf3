// Rows are moved by dragging them onto a folder or onto a step of the path. The bar's button does the same.
{
  const type = "application/x-fundmail-items";
  const holds = (event) => event.dataTransfer.types.includes(type);
  const target = (event) => holds(event) && event.target.closest?.("[data-place]");
  const mark = marker();

  addEventListener("dragstart", (event) => {
    const row = event.target.closest?.("form[data-list] li[data-bytes]");
    if (!row) return;
    const isChosen = row.querySelector("input")?.checked;
    const chosen = [...row.closest("form").querySelectorAll("li input:checked")].map((box) => box.closest("li").dataset.key);
    event.dataTransfer.setData(type, JSON.stringify(isChosen ? chosen : [row.dataset.key]));
    event.dataTransfer.effectAllowed = "move";
  });
  addEventListener("dragover", (event) => {
    const place = target(event);
    mark(place);
    if (place) event.preventDefault();
  });
  addEventListener("dragend", () => mark(null));
  addEventListener("drop", (event) => {
    const place = target(event);
    mark(null);
    if (!place) return;
    event.preventDefault();
    const items = JSON.parse(event.dataTransfer.getData(type));
    // A folder that is dropped onto itself.
    if (items.includes(place.dataset.key)) return;
    submitFields("/library/place", {
      at: place.dataset.place, act: "move", ...Object.fromEntries(items.map((item) => [`item-${item}`, 1])),
    });
  });
}
