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
  const write = (part) => {
    const today = new Date().toDateString();
    for (const time of part.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.valueOf())) continue;
      const text = date.toDateString() === today ? clock(date) : day(date);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  // The first format takes longer than all else that is to be done when a page came: after it is shown.
  enhance((part) => { part === document ? requestAnimationFrame(() => setTimeout(write, 0, part)) : write(part); });
  // Not for longer than it is looked at: live updates would take the row for a changed one.
  const timeAt = (event) => event.target.closest?.("time[datetime]");
  document.addEventListener("pointerover", (event) => {
    const time = timeAt(event);
    if (time) time.title = whole(new Date(time.dateTime));
  });
  document.addEventListener("pointerout", (event) => timeAt(event)?.removeAttribute("title"));
}
