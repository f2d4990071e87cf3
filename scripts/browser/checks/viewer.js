// The pages of a document: which one is shown, what is asked for, and how many there are when nobody said so.
import { turnPages } from "/assets/viewer.js";

const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

export const viewer = async (same) => {
  const fixture = document.querySelector("#fixture");
  const begin = async (fields, last) => {
    const asked = [], part = document.createElement("div");
    Object.assign(part.dataset, {
      base: "/preview?digest=x", largest: "4000", alternative: "Page {0}", making: "making", gone: "gone", zoom: "page",
      page: "1", turns: "1", ...fields,
    });
    const add = (parent, tag, attributes) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      parent.append(element);
      return element;
    };
    const leaf = add(part, "div", { "data-leaf": "" });
    const image = add(leaf, "img", { src: dot });
    add(part, "p", { "data-said": "" });
    const field = add(add(part, "form", {}), "input", { name: "page" });
    const [back, on] = ["-1", "1"].map((by) => add(part, "a", { "data-step": by, href: "#" }));
    fixture.replaceChildren(part);
    await image.decode();
    turnPages(part, {
      ask: async (address) => {
        const page = Number(new URL(address, location).searchParams.get("page"));
        asked.push(page);
        return page > last ? { why: "no such page" } : { isReady: true };
      },
      later: () => 1, loaded: async () => ({ naturalWidth: 1, naturalHeight: 1 }), ownAddress: () => new URL(location),
    });
    await settled();
    const go = async (act) => { act(); await settled(); };
    return { asked, back, on, field, go, state: () => [Number(field.value), back.hidden, on.hidden] };
  };
  const type = (field, text) => () => {
    field.value = text;
    field.dispatchEvent(new Event("change"));
  };

  const known = await begin({ count: "3" }, 3);
  same("the next one is fetched ahead", known.asked, [2]);
  await known.go(() => known.on.click());
  same("forward", known.state(), [2, false, false]);
  same("what is shown, and the next", known.asked.slice(1), [2, 3]);
  for (const [text, page] of [["3", 3], ["99", 3], ["0", 1], ["-4", 1], ["2.9", 2], ["", 1]]) {
    await known.go(type(known.field, text));
    same(`page “${text}”`, known.state()[0], page);
  }
  same("no way back from the first", known.state(), [1, true, false]);
  await known.go(type(known.field, "3"));
  same("nor on from the last", known.state(), [3, false, true]);

  const unknown = await begin({}, 2);
  await unknown.go(() => unknown.on.click());
  await unknown.go(() => unknown.on.click());
  same("the last one is found where none follows", unknown.state(), [2, false, true]);
  fixture.replaceChildren();
  history.replaceState(null, "", location.pathname);
};
