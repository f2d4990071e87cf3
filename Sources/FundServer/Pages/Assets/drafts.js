// What is being written, kept in this tab until it is saved: a session may end meanwhile, and a tablet drops pages. By
// the person who writes, so that the next one at this device does not see it; it goes when they sign out.
export const keepDraft = (form, prefix, sentName, { make, clock }) => {
  const drop = (name) => sessionStorage.removeItem(name);
  const name = prefix + form.dataset.draft;
  const fields = [...form.querySelectorAll("input:not([type=hidden]), textarea")];
  const values = () => fields.map((field) => field.value);
  const initial = JSON.stringify(values());
  // The page came with a text that is not saved anywhere.
  const isUnsaved = "unsaved" in form.dataset;
  let timer;
  const keep = () => {
    clearTimeout(timer);
    const text = JSON.stringify(values());
    if (text === initial && !isUnsaved) return;
    try { sessionStorage.setItem(name, JSON.stringify({ text, at: Date.now() })); } catch { /* no room */ }
  };
  const offer = (draft) => {
    const box = make("div");
    box.className = "draftkept";
    box.setAttribute("role", "status");
    const line = make("p");
    line.textContent = form.dataset.offer.replace("{0}", clock(new Date(draft.at)));
    const button = (text, act) => {
      const button = make("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => { act(); box.remove(); fields.at(-1).focus(); });
      return button;
    };
    box.append(line, button(form.dataset.restore, () => {
      JSON.parse(draft.text).forEach((value, index) => { if (fields[index]) fields[index].value = value; });
      keep();
    }), button(form.dataset.discard, () => drop(name)));
    form.before(box);
  };

  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(name)); } catch { /* not ours */ }
  if (kept && kept.text !== initial) offer(kept);
  else if (!isUnsaved) drop(name);
  if (isUnsaved) keep();
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(keep, 400); });
  addEventListener("pagehide", keep);

  // The server may be away for a while, as when it is started again: the text stays on the page, and is sent as soon as
  // the server answers.
  const pause = 2000, patience = 10_000;
  const answers = () => fetch(form.action, {
    method: "HEAD", redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(patience),
  }).then(({ status }) => status < 500, () => false);
  let isSending = false, isAnswered = false;
  const send = async (submitter) => {
    if (!await answers()) {
      if (!form.querySelector(".away")) {
        const line = Object.assign(make("p"), { className: "away problem", textContent: form.dataset.away });
        line.setAttribute("role", "status");
        form.append(line);
      }
      return setTimeout(send, pause, submitter);
    }
    form.querySelector(".away")?.remove();
    sessionStorage.setItem(sentName, name);
    isAnswered = true;
    form.requestSubmit(submitter);
  };
  form.addEventListener("submit", (event) => {
    keep();
    // Some buttons do something else than to save or send.
    if (isAnswered || event.submitter?.formNoValidate) return;
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    send(event.submitter);
  });
  addEventListener("pageshow", () => { isSending = isAnswered = false; });
};
