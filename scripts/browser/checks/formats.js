// What scripts write: sizes as the server does, ages, and times in the reader's manner.
import { size } from "/opened/selection.js?size";
import { apply } from "/opened/desklive.js?words,apply";
import { clock, day, exact } from "/opened/times.js?clock,day,exact";

export const formats = (same) => {
  for (const [bytes, text] of [
    [0, "0 B"], [1, "1 B"], [999, "999 B"], [1000, "1.0 KB"], [1049, "1.0 KB"], [9949, "9.9 KB"], [9950, "10 KB"],
    [999_499, "999 KB"], [999_500, "1.0 MB"], [4_200_000, "4.2 MB"], [2.5e9, "2.5 GB"], [3e12, "3.0 TB"],
    [3e15, "3000 TB"],
  ]) same(`size of ${bytes}`, size(bytes), text);

  const fixture = document.querySelector("#fixture");
  for (const [seconds, text] of [
    [0, "now"], [59, "now"], [61, "1 min"], [3599, "59 min"], [3601, "1 h"], [86_399, "23 h"], [86_401, "1 d"],
    [40 * 86_400, "40 d"],
  ]) {
    const time = document.createElement("time");
    time.dateTime = new Date(Date.now() - seconds * 1000).toISOString();
    time.dataset.age = "";
    fixture.replaceChildren(time);
    apply(fixture);
    same(`age of ${seconds} s`, time.textContent, text);
  }

  const date = new Date(2026, 10, 25, 9, 5);
  same("the day names its year", day(date).includes("2026"), true);
  same("the clock has its minutes", /0?9:05/.test(clock(date)), true);
  same("both", exact(date).includes(clock(date)) && exact(date).includes("2026"), true);
  fixture.replaceChildren();
};
