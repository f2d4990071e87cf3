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
  const whole = format({ dateStyle: "full", timeStyle: "short" });
  const write = (part, ofToday) => {
    const today = new Date().toDateString();
    for (const time of part.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.valueOf()) || (date.toDateString() === today) !== ofToday) continue;
      const text = ofToday ? clock(date) : day(date);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  // After the page is shown, and each kind in a task of its own.
  enhance((part) => {
    for (const ofToday of [true, false]) {
      if (part === document) requestAnimationFrame(() => setTimeout(write, 0, part, ofToday));
      else write(part, ofToday);
    }
  });
  // Not for longer than it is looked at: live updates would take the row for a changed one.
  const timeAt = (event) => event.target.closest?.("time[datetime]");
  document.addEventListener("pointerover", (event) => {
    const time = timeAt(event);
    if (time) time.title = whole(new Date(time.dateTime));
  });
  document.addEventListener("pointerout", (event) => timeAt(event)?.removeAttribute("title"));
}
