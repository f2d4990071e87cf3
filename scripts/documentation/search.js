// Finds sections in which all words occur; those with a word in their heading come first. `sections` comes from sections.js.
const shownAtMost = 60, around = 90;
const form = document.querySelector("form");
const words = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/\S+/g) ?? [];

const rank = ([, page, title, text]) => {
  const [heading, body] = [`${page} ${title}`.toLowerCase(), text.toLowerCase()];
  let points = 0;
  for (const word of words) {
    if (title.toLowerCase().includes(word)) points += 8;
    else if (heading.includes(word)) points += 3;
    else if (!body.includes(word)) return 0;
    points += Math.min(3, body.split(word).length - 1) / 4 + 1;
  }
  return points;
};

// The text around the first word that occurs, with all words marked.
const excerpt = (text) => {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0), text.length);
  const begin = first === text.length ? 0 : Math.max(0, first - around);
  // Whole words.
  const piece = text.slice(begin, begin + 3 * around).replace(begin > 0 ? /^\S*\s/ : "", "").replace(/\s\S*$/, "");
  const paragraph = document.createElement("p");
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  for (const part of piece.split(new RegExp(`(${escaped.join("|")})`, "i"))) {
    if (words.includes(part.toLowerCase())) paragraph.append(Object.assign(document.createElement("mark"), { textContent: part }));
    else paragraph.append(part);
  }
  if (begin > 0) paragraph.prepend("… ");
  if (!text.endsWith(piece)) paragraph.append(" …");
  return paragraph;
};

if (words.length > 0) {
  form.elements.q.value = new URLSearchParams(location.search).get("q");
  const hits = sections.map((section) => [rank(section), section]).filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a).map(([, section]) => section);
  const list = document.querySelector(".hits");
  for (const [address, page, title, text] of hits.slice(0, shownAtMost)) {
    const item = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: address, textContent: page === title ? page : `${page}: ${title}` });
    item.append(link, excerpt(text));
    list.append(item);
  }
  const count = hits.length === 0 ? "Nothing has all of these words." : hits.length === 1 ? "One section." : `${hits.length} sections.`;
  document.querySelector("#count").textContent = hits.length > shownAtMost ? `${count} The best ${shownAtMost} are shown.` : count;
  document.querySelector(".all").hidden = true;
}
