// A name that is edited where it stands. What ends a file's name stays apart; Enter saves, Escape gives up, and what the
// server has against it stands at the field.
const renameRow = (row, { make, find, load, settle, listPath, failed }) => {
  const link = row.querySelector("a.name");
  const text = link?.querySelector(".file, .tag > bdi, bdi.tag");
  if (!text || row.querySelector(".rename")) return;
  const parts = text.matches(".file") ? [...text.children].map((one) => one.textContent) : [text.textContent, ""];
  const [stem, ending = ""] = parts;
  const [box, field, end, problem] = ["div", "input", "span", "p"].map((name) => make(name));
  box.className = "rename";
  Object.assign(field, { value: stem, autocomplete: "off", ariaLabel: find("#rowmenu [data-for=rename]").firstChild.nextSibling.textContent });
  // The form around it is that of the list.
  field.setAttribute("form", "");
  field.setAttribute("autocapitalize", "none");
  end.textContent = ending;
  Object.assign(problem, { className: "problem", id: "rename-problem", role: "alert", hidden: true });
  box.append(field, end, problem);
  link.hidden = true;
  link.after(box);
  field.focus();
  field.select();

  let isOver = false;
  const stop = () => {
    // A field that is removed loses the focus, which stops it, too.
    if (isOver) return;
    isOver = true;
    box.remove();
    link.hidden = false;
    link.focus();
  };
  const refuse = (words) => {
    problem.textContent = words;
    problem.hidden = false;
    field.disabled = false;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", problem.id);
    field.focus();
  };
  const save = async () => {
    const [kind, id] = row.dataset.key.split("-");
    if (field.value === stem || !field.value.trim()) return stop();
    field.disabled = true;
    const answer = await load(`/library/items/${kind}/${id}/name`, new URLSearchParams({
      csrf: find("meta[name=csrf]").content, name: field.value + ending, back: listPath(),
    }));
    if (!answer.page && answer.path !== "/sign-in") {
      return refuse(answer.refusal?.querySelector(".problem, [data-refusal]")?.textContent ?? failed);
    }
    if (answer.path === "/sign-in") field.disabled = false;
    else stop();
    settle(answer, [row.dataset.key]);
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key !== "Enter" && event.key !== "Escape") return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") save();
    else stop();
  });
  field.addEventListener("blur", () => { if (!field.disabled && field.value === stem) stop(); });
};
