// Times in the reader's own time zone, and in the manner of their region if they read that language.
{
  const manner = navigator.languages.find((tag) => tag.slice(0, 2) === root.lang.slice(0, 2)) ?? root.lang;
  // To make a format takes a hundred times as long as to use it.
  const format = (options) => {
    let made;
    return (date) => (made ??= new Intl.DateTimeFormat(manner, options)).format(date);
  };
  const clock = format({ hour: "2-digit", minute: "2-digit" });
  const day = format({ day: "numeric", month: "short", year: "numeric" });
  const whole = format({ dateStyle: "full", timeStyle: "short" });
  enhance((part) => {
    const today = new Date().toDateString();
    for (const time of part.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.valueOf())) continue;
      const text = date.toDateString() === today ? clock(date) : day(date);
      if (time.textContent !== text) time.textContent = text;
    }
  });
  document.addEventListener("pointerover", ({ target }) => {
    const time = target.closest("time[datetime]");
    if (time && !time.title) time.title = whole(new Date(time.dateTime));
  });
}
