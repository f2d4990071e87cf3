// Times in the reader's own time zone, and in the manner of their region if they read that language: "13:41",
// "Yesterday 09:10", "12 Mar"; and ages that stay right.
{
  const ofThisYear = dateFormat({ day: "numeric", month: "short" });
  const ofOtherYears = dateFormat({ dateStyle: "medium" });
  const whole = dateFormat({ dateStyle: "full", timeStyle: "short" });
  let near;
  const dayName = (days) => (near ??= new Intl.RelativeTimeFormat(manner, { numeric: "auto" })).format(days, "day");

  // Days of the reader's calendar from today, negative for those that are past.
  const midnight = (date) => new Date(date).setHours(0, 0, 0, 0);
  const daysFrom = (date, now) => Math.round((midnight(date) - midnight(now)) / 86_400_000);
  // Each kind makes one format.
  const kindOf = (date, now) => {
    const days = Math.abs(daysFrom(date, now));
    return days < 2 ? days : date.getFullYear() === now.getFullYear() ? 2 : 3;
  };

  // - isExact: with the time of the day, also when that is long ago.
  const textOf = (date, now, isExact) => {
    const kind = kindOf(date, now);
    if (kind === 0) return clock(date);
    if (kind === 1) return `${dayName(daysFrom(date, now))} ${clock(date)}`;
    const day = kind === 2 ? ofThisYear(date) : ofOtherYears(date);
    return isExact ? `${day} ${clock(date)}` : day;
  };

  // Words for an age, or for how long something has lasted, each for seconds, minutes, hours and days.
  const words = (name) => find(`meta[name=${name}]`)?.content.split("|");
  const [ages, spans] = [words("ages"), words("spans")];
  const ageOf = (seconds, words) => {
    const [size, unit] = seconds < 60 ? [1, 0] : seconds < 3600 ? [60, 1] : seconds < 86_400 ? [3600, 2] : [86_400, 3];
    return words[unit].replace("{0}", Math.floor(seconds / size));
  };
  const isAging = (time) => ages && "age" in time.dataset || spans && "span" in time.dataset;

  const write = (time, text) => {
    // A name of a day that begins a line is written as one that begins a sentence.
    const isFirst = !time.previousSibling?.textContent.trim();
    const shown = isFirst ? text.charAt(0).toUpperCase() + text.slice(1) : text;
    if (time.textContent !== shown) time.textContent = shown;
  };
  const all = (part) => [...part.querySelectorAll("time[datetime]")]
    .map((time) => ({ time, date: new Date(time.dateTime) })).filter(({ date }) => !Number.isNaN(date.valueOf()));
  const age = (part) => {
    for (const { time, date } of all(part).filter(({ time }) => isAging(time))) {
      write(time, ageOf((Date.now() - date) / 1000, "age" in time.dataset ? ages : spans));
    }
  };
  const date = (part, kind) => {
    const now = new Date();
    for (const { time, date } of all(part)) {
      if (isAging(time) || kindOf(date, now) !== kind) continue;
      // Where the day stands above it the time is enough.
      write(time, "clock" in time.dataset ? clock(date) : textOf(date, now, "exact" in time.dataset));
    }
  };
  const title = (part) => { for (const { time, date } of all(part)) time.title = whole(date); };

  // The page itself is shown first, and each kind has a task of its own.
  const kinds = [date, date, date, date, title];
  enhance((part) => {
    for (const [kind, apply] of kinds.entries()) {
      if (part === document) setTimeout(apply, 30, part, kind);
      else apply(part, kind);
    }
  });
  if (ages || spans) setInterval(age, 30_000, document);

  // Days that are typed begin by the reader's clock: their form says by how much that differs from UTC.
  enhance((part) => {
    for (const text of part.querySelectorAll("[data-zone]")) {
      const parts = new Intl.DateTimeFormat(root.lang, { timeZoneName: "long" }).formatToParts();
      text.textContent = text.dataset.zone.replace("{0}", parts.find(({ type }) => type === "timeZoneName").value);
    }
    for (const day of part.querySelectorAll("[data-day]")) {
      day.form.addEventListener("formdata", ({ formData }) => {
        if (day.value) formData.set(`${day.name}-offset`, new Date(`${day.value}T00:00`).getTimezoneOffset());
      });
    }
  });
}
