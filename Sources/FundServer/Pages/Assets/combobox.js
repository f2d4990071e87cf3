// A field with a list, by the pattern of a combobox: the focus stays in the field, and the arrows choose.
let lists = 0;

// Makes the field one, with its list in `box`. `ask` brings what fills the list; a field without a word for "nothing
// chosen" `alwaysChooses`. Returns the list, the line that a screen reader says, and the choice.
const combobox = (field, { name, box, ask, alwaysChooses = false }) => {
  const [list, status] = [document.createElement("div"), document.createElement("p")];
  list.id = `${name}-${lists += 1}`;
  list.className = "finds";
  list.setAttribute("role", "listbox");
  status.className = "hidden";
  status.setAttribute("role", "status");
  box.append(list, status);
  const attributes = {
    role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list", autocomplete: "off",
  };
  for (const [attribute, value] of Object.entries(attributes)) field.setAttribute(attribute, value);

  let chosen = null;
  const options = () => [...list.querySelectorAll("[role=option]")];
  const isOpen = () => field.getAttribute("aria-expanded") === "true";
  const expand = (isExpanded) => field.setAttribute("aria-expanded", String(isExpanded));

  const choose = (option) => {
    chosen?.setAttribute("aria-selected", "false");
    chosen = option ?? null;
    if (!chosen) return field.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  };

  // True when the key was an arrow.
  const walk = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (!(event.key in steps)) return false;
    event.preventDefault();
    if (!isOpen()) {
      ask();
      return true;
    }
    // Past either end the field itself is chosen, as before the first key.
    const all = alwaysChooses ? options() : [null, ...options()];
    choose(all.at((all.indexOf(chosen) + steps[event.key]) % all.length));
    return true;
  };

  // The focus stays in the field.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return { list, status, options, isOpen, expand, choose, walk, chosen: () => chosen };
};

// Shows the box at its field: below it, or above where there is more room.
const placeAt = (field, box, { least, most, highest }) => {
  const margin = 8, gap = 5, enough = 200;
  const { left, top, bottom, width } = field.getBoundingClientRect();
  // A keyboard on the screen takes its part of the window.
  const below = (visualViewport?.height ?? innerHeight) - bottom - margin, above = top - margin;
  const isAbove = below < enough && above > below;
  const wide = Math.min(Math.max(Math.min(width, most), least), innerWidth - 2 * margin);
  box.style.width = `${wide}px`;
  box.style.left = `${Math.max(margin, Math.min(left, innerWidth - wide - margin))}px`;
  box.style.top = isAbove ? "auto" : `${bottom + gap}px`;
  box.style.bottom = isAbove ? `${innerHeight - top + gap}px` : "auto";
  box.style.maxHeight = `${Math.min(highest, isAbove ? above : below)}px`;
  if (!box.matches(":popover-open")) box.showPopover();
};
