// Pictures of files: what asks for them and shows them is loaded where a page has one, or gets one later.
{
  let isLoaded = false;
  const look = (part) => {
    if (isLoaded || !part.querySelector("[data-preview], [data-viewer], .pic")) return;
    isLoaded = true;
    import("./previews.js").then(({ showPreviews }) => showPreviews({ make, find, findAll, enhance, ownAddress }));
  };
  enhance(look);
  // Rows that live.js took over from a page that it loaded.
  addEventListener("change", ({ target }) => { if (target === window) look(document); });
}
