// Headings of days in the reader's own time zone: the server writes those of UTC.
{
  const whole = dateFormat({ weekday: "long", day: "numeric", month: "long" });
  const key = (date) => `day-${date.getFullYear()}-${`${date.getMonth() + 1}`.padStart(2, "0")}-${`${date.getDate()}`.padStart(2, "0")}`;

  const heading = (date, words) => {
    const row = make("li"), title = make("h2");
    row.className = title.className = "day";
    row.dataset.key = key(date);
    const ago = [0, 1].findIndex((days) => {
      const day = new Date();
      day.setDate(day.getDate() - days);
      return key(day) === key(date);
    });
    title.textContent = ago < 0 ? whole(date) : words[ago];
    if (ago >= 0) {
      const small = make("small");
      small.textContent = whole(date);
      title.append(" ", small);
    }
    row.append(title);
    return row;
  };

  enhance((part) => {
    const dated = "ul:is(.arrivals, .entries)";
    const lists = part.matches?.(dated) ? [part] : part.querySelectorAll(dated);
    const words = find("[data-days]")?.dataset.days.split("|") ?? [];
    for (const list of lists) {
      for (const old of list.querySelectorAll(":scope > .day")) old.remove();
      // The day of the row above, which may stand in another section.
      let last = list.classList.contains("chunk") ? [...findAll("li.day")].at(-1)?.dataset.key : undefined;
      for (const row of list.querySelectorAll(":scope > :not(.day, .since)")) {
        const date = new Date(row.querySelector("time[data-clock]").dateTime);
        if (key(date) === last) continue;
        last = key(date);
        row.before(heading(date, words));
      }
    }
  });
}
