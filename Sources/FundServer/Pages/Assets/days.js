// Days that are typed begin by the reader's clock: their form says by how much that differs from UTC.
enhance((part) => {
  for (const text of part.querySelectorAll("[data-zone]")) {
    const parts = new Intl.DateTimeFormat(root.lang, { timeZoneName: "long" }).formatToParts();
    const zone = parts.find(({ type }) => type === "timeZoneName").value;
    text.textContent = text.dataset.zone.replace("{0}", zone);
  }
  for (const day of part.querySelectorAll("[data-day]")) {
    day.form.addEventListener("formdata", ({ formData }) => {
      if (day.value) formData.set(`${day.name}-offset`, new Date(`${day.value}T00:00`).getTimezoneOffset());
    });
  }
});
