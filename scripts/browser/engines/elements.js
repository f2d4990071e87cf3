// Selectors and states of elements as Playwright has them, as far as the stories use them. This is what stands before
// each script that webkit.py sends.
const textOf = (one) => (one.textContent ?? "").replace(/\s+/g, " ").trim();
const hasText = (one, text) => textOf(one).toLowerCase().includes(text.replace(/\s+/g, " ").trim().toLowerCase());
const isVisible = (one) => {
  const box = one.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && one.checkVisibility({ visibilityProperty: true });
};
// CSS, with `:has-text('…')` and `:text-is('…')` anywhere, and `:visible` at its end.
const all = (root, selector) => {
  const isSeen = selector.endsWith(":visible");
  const marks = [];
  const css = (isSeen ? selector.slice(0, -":visible".length) : selector).replace(
    /:(has-text|text-is)\((['"])(.*?)\2\)/g, (_, kind, quote, text) => {
      const mark = `data-marked-${marks.length}`;
      marks.push(mark);
      for (const one of root.querySelectorAll("*")) {
        if (kind === "has-text" ? hasText(one, text) : textOf(one) === text) one.setAttribute(mark, "");
      }
      return `[${mark}]`;
    });
  const found = [...root.querySelectorAll(css)];
  for (const mark of marks) for (const one of root.querySelectorAll(`[${mark}]`)) one.removeAttribute(mark);
  return isSeen ? found.filter(isVisible) : found;
};
const takeSteps = {
  css: (found, selector) => [...new Set(found.flatMap((root) => all(root, selector)))],
  hasText: (found, text) => found.filter((one) => hasText(one, text)),
  // The innermost elements with a text.
  text: (found, text) => found.flatMap((root) => [...root.querySelectorAll("*")]).filter(
    (one) => hasText(one, text) && ![...one.children].some((inner) => hasText(inner, text))),
  at: (found, index) => found.slice(index, index === -1 ? undefined : index + 1),
};
const find = (steps) => steps.reduce((found, [kind, value]) => takeSteps[kind](found, value), [document]);
const isIn = (state, one) => state === "attached" || isVisible(one) && (state === "visible" || !one.disabled);
const reveal = (one, isCovered) => {
  const { top, bottom } = one.getBoundingClientRect();
  if (isCovered || top < 0 || bottom > innerHeight) one.scrollIntoView({ block: "center", behavior: "instant" });
};
const type = (one, text) => {
  one.focus();
  one.select();
  document.execCommand(text ? "insertText" : "delete", false, text);
  one.dispatchEvent(new Event("change", { bubbles: true }));
};
const choose = (one, isMeant) => {
  one.selectedIndex = [...one.options].findIndex(isMeant);
  for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, { bubbles: true }));
};
