// Times in the reader's own time zone, and in the manner of their region if they read that language.
{
  const manner = navigator.languages.find((tag) => tag.slice(0, 2) === root.lang.slice(0, 2)) ?? root.lang;
  enhance((part) => {
    const today = new Date().toDateString();
    for (const time of part.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.valueOf())) continue;
      time.textContent = date.toDateString() === today
        ? date.toLocaleTimeString(manner, { hour: "2-digit", minute: "2-digit" })
        : date.toLocaleDateString(manner, { day: "numeric", month: "short", year: "numeric" });
      time.title = date.toLocaleString(manner, { dateStyle: "full", timeStyle: "short" });
    }
  });
}
