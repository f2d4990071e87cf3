// Times in the reader's own time zone, and in the manner of their region if they read that language.
{
  const manner = navigator.languages.find((tag) => tag.slice(0, 2) === root.lang.slice(0, 2)) ?? root.lang;
  // To make a format takes twenty milliseconds, to use it few microseconds.
  const format = (options) => {
    let made;
    return (date) => (made ??= new Intl.DateTimeFormat(manner, options)).format(date);
  };
  const clock = format({ timeStyle: "short" });
  const day = format({ dateStyle: "medium" });
  const exact = format({ dateStyle: "medium", timeStyle: "short" });
  const whole = format({ dateStyle: "full", timeStyle: "short" });
  // Each kind makes one format.
  const kinds = [
    (time, date, isToday) => { if (isToday && isPlain(time)) write(time, clock(date)); },
    (time, date, isToday) => { if (!isToday && isPlain(time)) write(time, day(date)); },
    (time, date) => { if ("exact" in time.dataset) write(time, exact(date)); },
    (time, date) => { time.title = whole(date); },
  ];
  const isPlain = (time) => !("age" in time.dataset || "exact" in time.dataset);
  const write = (time, text) => { if (time.textContent !== text) time.textContent = text; };
  const apply = (part, kind) => {
    const today = new Date().toDateString();
    for (const time of part.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (!Number.isNaN(date.valueOf())) kind(time, date, date.toDateString() === today);
    }
  };
  // The page itself is shown first, and each kind has a task of its own.
  enhance((part) => {
    for (const kind of kinds) {
      if (part === document) setTimeout(apply, 30, part, kind);
      else apply(part, kind);
    }
  });
}
