// Address fields: the people who may be meant while one types, by the pattern of a combobox (combobox.js). Of several
// addresses the one at the caret is asked for. `data-contacts="one"` takes one alone.
const pause = 80, patience = 10_000, mostPeople = 8;

// Where the address at the caret begins and ends: between separators outside of quotation marks and angle brackets.
const bounds = (text, caret) => {
  let start = 0, isQuoted = false, isAngled = false;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (isQuoted && sign === "\\") index += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === "<") isAngled = true;
    else if (!isQuoted && sign === ">") isAngled = false;
    else if (!isQuoted && !isAngled && ",;\n，；".includes(sign)) {
      if (index >= caret) return [start, index];
      start = index + 1;
    }
  }
  return [start, text.length];
};

const offerTo = (field, make) => {
  const box = make("div");
  box.className = "found";
  box.popover = "manual";
  field.after(box);
  const { list, status, isOpen, expand, choose, walk, chosen } = combobox(field, { name: "people", box, ask: () => ask() });
  field.autocapitalize = "none";
  field.spellcheck = false;

  const takesOne = field.dataset.contacts === "one";
  let request = null, timer = 0;
  const part = () => (takesOne ? [0, field.value.length] : bounds(field.value, field.selectionStart ?? field.value.length));

  const hide = () => {
    clearTimeout(timer);
    request?.abort();
    choose(null);
    expand(false);
    if (box.matches(":popover-open")) box.hidePopover();
  };

  const show = () => {
    placeAt(field, box, { least: 320, most: 620, highest: 400 });
    expand(true);
  };

  // Puts an address in the place of what was typed.
  const take = (option) => {
    const [start, end] = part();
    const { text } = option.dataset;
    const before = field.value.slice(0, start);
    const lead = start > 0 ? `${before} ` : before;
    const rest = field.value.slice(end).replace(/^[,;，；\s]+/, "");
    const taken = takesOne ? text : `${lead}${text}, `;
    field.value = taken + (takesOne ? "" : rest);
    hide();
    field.setSelectionRange(taken.length, taken.length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const line = (name, text) => {
    const shown = make(name);
    const isolated = make("bdi");
    isolated.textContent = text;
    shown.append(isolated);
    return shown;
  };

  const fill = ({ title, status: said, people }) => {
    list.setAttribute("aria-label", title);
    list.replaceChildren(...people.map(({ name, address, detail, label, text }, index) => {
      const option = make("div");
      option.id = `${list.id}-${index}`;
      option.dataset.text = text;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const shown = make("span");
      shown.className = "t";
      const first = make("bdi");
      first.textContent = name || address;
      shown.append(first);
      const second = [name ? address : "", detail].filter(Boolean).join(" · ");
      if (second) shown.append(line("small", second));
      const hint = line("span", label);
      hint.className = "hint";
      option.append(shown, hint);
      return option;
    }));
    choose(null);
    status.textContent = said;
    if (people.length > 0) show();
    else hide();
  };

  const ask = () => {
    clearTimeout(timer);
    request?.abort();
    const [start, end] = part();
    const typed = field.value.slice(start, end).trim();
    const own = request = new XMLHttpRequest();
    own.open("GET", `/contacts/suggest?limit=${mostPeople}&q=${encodeURIComponent(typed.slice(0, 200))}`);
    own.setRequestHeader("Accept", "application/json");
    [own.responseType, own.timeout] = ["json", patience];
    own.addEventListener("load", () => {
      if (document.activeElement !== field) return;
      // A whole address needs no other one: of it alone nothing is offered.
      if (own.status === 200 && own.response) fill(own.response);
      else hide();
    });
    own.addEventListener("error", hide);
    own.send();
  };

  const later = () => {
    clearTimeout(timer);
    const [start, end] = part();
    if (!field.value.slice(start, end).trim()) return hide();
    timer = setTimeout(ask, pause);
  };
  // What an input method is still writing is no question yet. A text that was taken asks for nothing.
  field.addEventListener("input", (event) => { if (event.isTrusted && !event.isComposing) later(); });
  field.addEventListener("compositionend", later);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (walk(event)) return;
    if (event.key === "Enter" && isOpen() && chosen()) {
      event.preventDefault();
      take(chosen());
    } else if (event.key === "Escape" && isOpen()) {
      event.preventDefault();
      event.stopPropagation();
      hide();
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
  field.addEventListener("blur", hide);
  // What was typed while this script came.
  if (document.activeElement === field && field.value !== field.defaultValue) later();
};

export const begin = ({ make, enhance }) => {
  const style = make("link");
  style.rel = "stylesheet";
  style.href = new URL("palette.css", import.meta.url);
  document.head.append(style);
  const known = new WeakSet();
  enhance((part) => {
    const fields = [...part.querySelectorAll("[data-contacts]")];
    if (part.matches?.("[data-contacts]")) fields.push(part);
    for (const field of fields) {
      if (known.has(field)) continue;
      known.add(field);
      offerTo(field, make);
    }
  });
};
