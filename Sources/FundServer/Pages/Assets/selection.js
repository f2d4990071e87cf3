// Rows that are chosen: all, a range with shift, how many and how large.
{
  const boxes = (list) => [...list.querySelectorAll("li input[type=checkbox]")];
  const units = ["B", "KB", "MB", "GB", "TB"];
  // As the server writes it.
  const size = (bytes) => {
    let unit = 0;
    while (bytes >= 999.5 && unit < 4) [bytes, unit] = [bytes / 1000, unit + 1];
    return `${unit === 0 ? bytes : bytes < 9.95 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
  };

  const count = (list) => {
    const chosen = [...list.querySelectorAll("li input:checked")];
    const all = list.querySelector("[data-choose-all] input");
    if (all) {
      all.checked = chosen.length > 0 && chosen.length === boxes(list).length;
      all.indeterminate = chosen.length > 0 && !all.checked;
    }
    const output = list.querySelector("[data-chosen]");
    if (!output) return;
    const isOver = chosen.length > Number(output.dataset.most);
    for (const act of list.querySelectorAll(".chosen button")) act.disabled = isOver;
    const bytes = chosen.reduce((sum, box) => sum + Number(box.closest("li").dataset.bytes ?? 0), 0);
    const words = output.dataset[chosen.length === 1 ? "one" : "many"].replace("{0}", chosen.length);
    if (isOver) output.value = `${words} · ${output.dataset.over}`;
    else output.value = bytes > 0 ? `${words} · ${size(bytes)}` : words;
  };
  const countAll = () => findAll("form[data-list]").forEach(count);

  let last = null;
  addEventListener("click", (event) => {
    const box = event.target;
    const list = box instanceof HTMLInputElement && box.type === "checkbox" && box.closest("li") && box.closest("form[data-list]");
    if (!list) return;
    if (event.shiftKey && last) {
      const all = boxes(list);
      const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((one, other) => one - other);
      // Not those of older versions that are folded away. To ask a box has the browser style its section, which takes
      // milliseconds where that is out of sight.
      const range = from < 0 ? [] : all.slice(from, to + 1).filter((other) => other.checkVisibility());
      for (const other of range) other.checked = box.checked;
    }
    last = box;
    count(list);
  });
  // Also when others chose: the browser on Back, or sections.js.
  addEventListener("change", countAll);
  addEventListener("pageshow", countAll);

  // The link that chooses all rows becomes a box.
  enhance((part) => {
    for (const link of part.querySelectorAll("a[data-choose-all]")) {
      const label = make("label");
      label.className = link.className;
      label.dataset.chooseAll = "";
      const box = make("input");
      box.type = "checkbox";
      box.addEventListener("change", () => {
        const list = label.closest("form[data-list]");
        for (const other of boxes(list)) other.checked = box.checked;
        count(list);
      });
      label.append(box, link.textContent);
      link.replaceWith(label);
    }
    // Rows that come while all are chosen are chosen, too.
    const list = part === document ? null : part.closest("form[data-list]");
    if (list?.querySelector("[data-choose-all] input")?.checked) {
      for (const box of boxes(part)) box.checked = true;
      count(list);
    }
  });
}
