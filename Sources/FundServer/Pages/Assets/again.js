// A page that waits for something looks for it, and is loaded again when there is news. Without scripts the browser
// loads it again by itself.
{
  const pause = find("meta[name=again]");
  const said = (page) => page.querySelector("main [role=status]")?.textContent;
  const look = async () => {
    const { page } = document.hidden ? {} : await load(ownAddress());
    const isNews = page && (!page.querySelector("meta[name=again]") || said(page) !== said(document));
    if (isNews) location.replace(ownAddress());
    else setTimeout(look, 1000 * pause.content);
  };
  if (pause) setTimeout(look, 1000 * pause.content);
}
