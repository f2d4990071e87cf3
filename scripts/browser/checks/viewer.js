// The pages of a document: those of other sections are added, the number of one leads to it, and its size changes in
// place.
import { showPages } from "/assets/viewer.js";

// What stands behind the mark of a fragment changes nothing.
const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7#";

export const viewer = async (same) => {
  const fixture = document.querySelector("#fixture");
  const begin = (fields, numbers) => {
    const make = (parent, tag, attributes = {}) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      parent.append(element);
      return element;
    };
    const region = document.createElement("section");
    const field = make(make(region, "form"), "input", { name: "page" });
    const [smaller, larger] = ["smaller", "larger"].map((name) => make(region, "a", { href: "#", "data-zoom": name }));
    const body = make(region, "div", { style: "height: 100px; overflow: auto" });
    const pages = make(body, "div");
    Object.assign(pages.dataset, {
      base: dot, largest: "1600", alternative: "Page {0}", making: "making", gone: "gone", zoom: "width", page: "1", ...fields,
    });
    for (const number of numbers) {
      const leaf = make(pages, "div", { "data-leaf": number, id: `p${number}` });
      make(leaf, "img", { src: `${dot}&size=1600&page=${number}`, width: "40", height: "90" });
    }
    make(pages, "p", { "data-said": "" });
    fixture.replaceChildren(region);
    const asked = [];
    showPages(pages, region, {
      make: document.createElement.bind(document), ownAddress: () => new URL(location), again: () => asked.push("again"),
    });
    return { pages, field, smaller, larger, leaves: () => [...pages.querySelectorAll("[data-leaf]")] };
  };
  const type = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("change"));
  };

  const middle = begin({ count: "7", page: "3" }, [3, 4]);
  same("pages of other sections", middle.leaves().map((leaf) => leaf.id), ["p1", "p2", "p3", "p4", "p5", "p6", "p7"]);
  same("their names", middle.leaves().at(-1).firstElementChild.alt, "Page 7");
  same("and they come when they are near", middle.leaves().at(-1).firstElementChild.loading, "lazy");
  same("the page in the address", middle.field.value, "3");
  for (const [text, page] of [["5", 5], ["99", 7], ["0", 1], ["-4", 1], ["2.9", 2], ["", 1]]) {
    type(middle.field, text);
    same(`page “${text}”`, Number(middle.field.value), page);
  }
  same("what is opened stays in the address", new URL(location).searchParams.get("page"), null);
  type(middle.field, "4");
  same("and so does the page", new URL(location).searchParams.get("page"), "4");

  const sizes = begin({ count: "2" }, [1, 2]);
  const isOff = () => [sizes.smaller, sizes.larger].map((link) => link.getAttribute("aria-disabled") === "true");
  same("both ways", [sizes.pages.dataset.zoom, ...isOff()], ["width", false, false]);
  sizes.larger.click();
  same("larger", [sizes.pages.dataset.zoom, ...isOff()], ["large", false, true]);
  sizes.larger.click();
  same("no larger than that", sizes.pages.dataset.zoom, "large");
  sizes.smaller.click();
  sizes.smaller.click();
  same("the whole page", [sizes.pages.dataset.zoom, ...isOff()], ["page", true, false]);
  fixture.replaceChildren();
  history.replaceState(null, "", location.pathname);
};
