// A button beside each text that is to be copied, and the button that prints.
enhance((part) => {
  for (const text of part.querySelectorAll("[data-copy]")) {
    const button = make("button");
    button.type = "button";
    button.className = "noprint";
    button.textContent = text.dataset.copy;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const { text: whole = text.textContent } = text.dataset;
      getSelection().selectAllChildren(text);
      // The clipboard of pages without https has this older call alone.
      const isDone = await (navigator.clipboard?.writeText(whole).then(() => true, () => false) ?? document.execCommand("copy"));
      if (isDone) button.textContent = text.dataset.copied;
      setTimeout(() => { button.textContent = text.dataset.copy; }, 3000);
    });
    text.after(button);
  }
  for (const button of part.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
});
