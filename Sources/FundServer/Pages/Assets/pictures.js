// Pictures of files: what asks for them and shows them is loaded where a page has one, or gets one later.
{
  let isLoaded = false;
  const look = (part) => {
    if (isLoaded || !part.querySelector("[data-preview], .pic")) return;
    isLoaded = true;
    // It cannot be had when the page is being left, and after an update, when it has another address.
    import("./previews.js").then(
      ({ showPreviews }) => showPreviews({ make, findAll, enhance }), () => { isLoaded = false; });
  };
  enhance(look);
  // Rows that live.js took over from a page that it loaded.
  addEventListener("change", ({ target }) => { if (target === window) look(document); });
}
