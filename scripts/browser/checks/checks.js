// Runs all checks, and writes what differs into the page, and how many there were into its title.
import { formats } from "./formats.js";
import { keys } from "./keys.js";
import { pieces } from "./pieces.js";
import { viewer } from "./viewer.js";

let count = 0;
const fail = (text) => {
  const line = document.createElement("li");
  line.textContent = text;
  document.querySelector("ul").append(line);
};
const same = (what, is, shouldBe) => {
  count += 1;
  const [left, right] = [is, shouldBe].map((value) => JSON.stringify(value));
  if (left !== right) fail(`${what}: ${left}, not ${right}`);
};

for (const check of [formats, keys, viewer, pieces]) {
  try { await check(same); } catch (error) { fail(`${check.name}: ${error}\n${error.stack}`); }
}
document.title = count;
