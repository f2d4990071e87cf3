// What only some pages have: the script for it is imported where a page has it, or gets it later. Pictures cannot be had when
// the page is being left, and after an update, when their script has another address.
{
  const scripts = [
    ["[data-preview], .pic", atNeed("previews", ({ showPreviews }) => showPreviews(common))],
    ["form[data-letter]", atNeed("letter", ({ writeLetter }) => writeLetter(common))],
    ["ul:is(.arrivals, .entries)", atNeed("headings", ({ begin }) => begin(common))],
    ["[data-contacts]", atNeed("people", ({ begin }) => begin(common))],
  ];
  const look = (part) => {
    for (const [which, show] of scripts) if (part.matches?.(which) || part.querySelector(which)) show();
  };
  enhance(look);
  // Rows that live.js took over from a page that it loaded.
  addEventListener("change", ({ target }) => { if (target === window) look(document); });
}
