// Texts that are being written: what drafts.js keeps of them goes when they were saved, or when their writer signs out.
{
  const out = find("form[data-drafts]");
  const prefix = `draft ${out?.dataset.drafts} `;
  const sentName = "draft sent";
  const drop = (name) => sessionStorage.removeItem(name);

  // What was sent is done with when the server says so.
  const sent = sessionStorage.getItem(sentName);
  if (sent && /^(saved|letter-(queued|known))$/.test(new URLSearchParams(location.search).get("done"))) drop(sent);
  drop(sentName);

  out?.addEventListener("submit", () => {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) drop(name);
  });

  // Also of notes that are opened beside their list. Without drafts.js nothing is kept.
  const drafts = atNeed("drafts", ({ keepDraft }) => keepDraft);
  enhance((part) => {
    const form = part.querySelector("form[data-draft]");
    if (form && out) drafts().then((keepDraft) => keepDraft?.(form, prefix, sentName, common));
  });
}
