// What scripts write: sizes as the server does, ages, and times in the reader's manner.
import { size } from "/opened/selection.js?size";
import { ageOf, clock, textOf } from "/opened/times.js?ageOf,clock,textOf";

export const formats = (same) => {
  for (const [bytes, text] of [
    [0, "0 B"], [1, "1 B"], [999, "999 B"], [1000, "1.0 KB"], [1049, "1.0 KB"], [9949, "9.9 KB"], [9950, "10 KB"],
    [999_499, "999 KB"], [999_500, "1.0 MB"], [4_200_000, "4.2 MB"], [2.5e9, "2.5 GB"], [3e12, "3.0 TB"],
    [3e15, "3000 TB"],
  ]) same(`size of ${bytes}`, size(bytes), text);

  const ages = ["now", "{0} min ago", "{0} h ago", "{0} d ago"];
  for (const [seconds, text] of [
    [0, "now"], [59, "now"], [61, "1 min ago"], [3599, "59 min ago"], [3601, "1 h ago"], [86_399, "23 h ago"],
    [86_401, "1 d ago"], [40 * 86_400, "40 d ago"],
  ]) same(`age of ${seconds} s`, ageOf(seconds, ages), text);

  const now = new Date(2026, 10, 25, 9, 5);
  const shown = (date, isExact) => textOf(date, now, isExact);
  same("today has a clock alone", shown(now), clock(now));
  const yesterday = new Date(2026, 10, 24, 23, 59);
  same("yesterday is a day of the calendar", shown(yesterday).endsWith(` ${clock(yesterday)}`), true);
  same("and has a name", /\d/.test(shown(yesterday).replace(clock(yesterday), "")), false);
  const march = new Date(2026, 2, 12, 7, 8), before = new Date(2025, 2, 12, 7, 8);
  same("this year is not named", shown(march).includes("2026"), false);
  same("another year is", shown(before).includes("2025"), true);
  same("nor is a clock", shown(march).includes(clock(march)), false);
  same("unless it matters", shown(march, true).includes(clock(march)), true);
};
