// A letter that is being written: its attachments change without a load, and Enter in a field goes to the next one.
export const writeLetter = ({ find, load, enhance, additions }) => {
  const region = () => find("[data-items]");

  // The server makes the region anew by the fields of the form.
  const renew = async (form, submitter) => {
    region().ariaBusy = "true";
    const name = submitter.value === "find" ? "#find" : ".attach > summary";
    const { page } = await load(form.action, new URLSearchParams(new FormData(form, submitter)));
    const fresh = page?.querySelector("[data-items]");
    // Without an answer the browser's own way says why.
    if (!fresh) return form.submit();
    region().replaceWith(document.adoptNode(fresh));
    for (const addition of additions) addition(region());
    region().querySelector(name)?.focus();
  };

  enhance((part) => {
    const form = part.querySelector("form[data-letter]");
    form?.addEventListener("submit", (event) => {
      const { submitter } = event;
      if (!/^(find|remove-.*)$/.test(submitter?.value ?? "")) return;
      event.preventDefault();
      renew(form, submitter);
    });
    form?.addEventListener("keydown", (event) => {
      const { target, key } = event;
      if (key !== "Enter" || event.defaultPrevented || event.isComposing || !target.matches("input:not([type=checkbox])")) return;
      event.preventDefault();
      if (target.id === "find") return target.parentElement.querySelector("button").click();
      const all = [...form.querySelectorAll(".entry input, textarea")];
      all[all.indexOf(target) + 1]?.focus();
    });
  });
};
