// To what stands before and behind what the page shows. The server leaves the mark out where keys are switched off.
{
  const relations = { ArrowLeft: "prev", KeyK: "prev", ArrowRight: "next", KeyJ: "next" };
  addEventListener("keydown", (event) => {
    const relation = relations[event.code];
    if (!relation || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    // Where the keys mean something else already.
    if (event.target.closest?.("input, select, textarea, audio, video")) return;
    const link = find(`[data-keys] a[rel=${relation}]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  });
}
