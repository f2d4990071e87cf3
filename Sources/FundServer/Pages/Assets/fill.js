// A file's text in place of what is typed, as spreadsheets save it: UTF-8, or UTF-16 with a byte order mark.
enhance((part) => {
  for (const line of part.querySelectorAll("[data-fill]")) {
    line.hidden = false;
    const [chooser, field] = [line.querySelector("input"), document.getElementById(line.dataset.fill)];
    chooser.addEventListener("change", async () => {
      const bytes = new Uint8Array(await chooser.files[0]?.arrayBuffer() ?? []);
      const mark = (bytes[0] << 8) | bytes[1];
      const encoding = mark === 0xFFFE ? "utf-16le" : mark === 0xFEFF ? "utf-16be" : "utf-8";
      field.value = new TextDecoder(encoding).decode(bytes);
    });
  }
});
