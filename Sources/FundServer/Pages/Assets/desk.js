// The misrouted desk where list and message stand beside each other: a message is opened, filed and undone without
// another page. What is acted on leaves its list at once, and comes back with the reason when the server refuses.
// Narrow screens show one of both, by links and forms.
const desk = {};
if (find("[data-desk]")) {
  const root = find("[data-desk]");
  const pane = find("[data-pane]");
  const wide = matchMedia("(min-width: 900px)");
  // Milliseconds for which no key does anything about a message: a second press was meant for the one before.
  const deafTime = 400;
  // Numbers of messages that leave the list: until the server has answered, a list that is loaded anew has them still.
  const leaving = new Set();
  let opening = 0;
  const list = () => find("[data-waiting] form[data-acts]");
  // Where the list comes from, as it is shown: also a further section of it.
  const listAddress = (() => {
    const address = ownAddress();
    return address.pathname.startsWith("/desk/messages/") ? list()?.elements.back.value : address.pathname + address.search;
  })();
  // Until it is through, the message on the right is not the one that is marked.
  let showing = null;

  const rows = () => [...findAll("[data-waiting] li.row[data-id]")].filter((row) => !row.hidden && row.checkVisibility());
  const rowOf = (id) => find(`[data-waiting] li.row[data-id="${id}"]`);
  const current = () => rowOf(find("[data-waiting] li[aria-current]")?.dataset.id);
  const boxOf = (row) => row.querySelector("input[type=checkbox]");
  // Also in a group that is folded: what the bar counts is what is acted on.
  const chosen = () => [...findAll("[data-waiting] li.row[data-id]")].filter((row) => !row.hidden && boxOf(row).checked);

  // MARK: The message

  const mark = (row) => {
    find("[data-waiting] li[aria-current]")?.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
    row?.scrollIntoView({ block: "nearest" });
  };

  // How many stand before the message, also of those that are on the page of their cause, and the links to those beside
  // it.
  const showPlace = () => {
    const article = find("article[data-message]");
    const place = article?.querySelector("[data-place]");
    const groups = find("[data-groups]");
    if (!place || !groups) return;
    const all = rows(), at = all.findIndex((row) => row.dataset.id === article.dataset.message);
    for (const link of article.querySelectorAll("[data-step]")) {
      const other = at < 0 ? undefined : all[at + Number(link.dataset.step)];
      link.hidden = !other;
      if (other) link.href = other.querySelector("a.name").href;
    }
    const own = all[at]?.closest("[data-group]");
    const isShown = (row) => !row.hidden;
    let before = 0;
    for (const group of groups.querySelectorAll("[data-group]")) {
      if (group === own) break;
      const of = [...group.querySelectorAll("li.row")];
      before += Number(group.dataset.size) - of.length + of.filter(isShown).length;
    }
    const beside = [...(own ?? groups).querySelectorAll("li.row")].filter(isShown);
    const total = Number(groups.dataset.total) - groups.querySelectorAll("li.row[hidden]").length;
    place.textContent = at < 0 ? "" : root.dataset.place.replace("{0}", before + beside.indexOf(all[at]) + 1).replace("{1}", total);
  };

  // Shows the right side of another page here.
  const show = async (address) => {
    const turn = ++opening;
    const { page, refusal, path } = await load(address);
    if (turn !== opening) return;
    const other = page?.querySelector("[data-pane]");
    // The session ended, or this is no desk any more: the server says so on a page of its own.
    if (!other || path === "/sign-in" || refusal) return location.assign(address);
    pane.replaceChildren(...document.adoptNode(other).childNodes);
    for (const addition of additions) addition(pane);
    showPlace();
    history.replaceState(null, "", address);
    desk.showReaders?.();
  };

  const open = (row) => {
    if (!row) return;
    // Requested first, so that it loads while the list is drawn.
    const mine = show(row.querySelector("a.name").href).finally(() => { if (showing === mine) showing = null; });
    showing = mine;
    mark(row);
    row.querySelector("a.name").focus({ preventScroll: true });
  };

  const close = () => {
    opening += 1;
    showing = null;
    pane.querySelector("article")?.remove();
    mark(null);
    history.replaceState(null, "", listAddress);
  };

  const say = (text, { act, opensWays, isLoss } = {}) => {
    const [form, link] = find("template[data-ways]").content.cloneNode(true).children;
    form.action = `/desk/acts/${act}/undo`;
    sayDone([text], [act && form, opensWays && link].filter(Boolean), isLoss);
  };

  // MARK: The list

  const count = () => {
    for (const group of findAll("[data-group]")) group.hidden = !group.querySelector("li.row:not([hidden])");
  };

  const bringBack = (row, why) => {
    leaving.delete(row.dataset.id);
    row.hidden = false;
    row.querySelector(".why")?.remove();
    if (why) {
      const text = make("small");
      text.className = "why";
      text.textContent = why;
      row.querySelector(".what").append(text);
    }
    count();
  };

  // Takes over the list as it is now. What one chose, and where one is, stays.
  const reload = async () => {
    const { page, path } = await load(listAddress);
    const groups = page?.querySelector("[data-groups]");
    if (path === "/sign-in") return location.reload();
    if (!groups) return;
    const old = find("[data-groups]");
    const shown = find("[data-waiting] li[aria-current]")?.dataset.id;
    const ticked = new Set(chosen().map((row) => row.dataset.id));
    const focus = document.activeElement?.closest?.("[data-waiting] li.row")?.dataset.id;
    const whys = new Map([...old.querySelectorAll("li .why")].map((why) => [why.closest("li").dataset.id, why.textContent]));
    const opened = new Set([...old.querySelectorAll("details[open]")].map((one) => one.dataset.group));
    old.replaceWith(document.adoptNode(groups));
    for (const one of groups.querySelectorAll("details")) if (opened.has(one.dataset.group)) one.open = true;
    for (const row of groups.querySelectorAll("li.row")) {
      const { id } = row.dataset;
      row.hidden = leaving.has(id);
      if (ticked.has(id)) boxOf(row).checked = true;
      if (whys.has(id)) bringBack(row, whys.get(id));
    }
    const row = shown && rowOf(shown);
    if (row) row.setAttribute("aria-current", "true");
    if (focus) rowOf(focus)?.querySelector("a.name").focus({ preventScroll: true });
    const empty = page.querySelector("form[data-acts] > .empty");
    list().querySelector(":scope > .empty")?.remove();
    if (empty) groups.before(document.adoptNode(empty));
    // The counts of the shell, too.
    for (const selector of ["[data-waiting] .tabs", ".side .navs", ".tabbar"]) {
      const now = page.querySelector(selector), before = find(selector);
      if (now && before && now.innerHTML !== before.innerHTML) before.replaceWith(document.adoptNode(now));
    }
    document.title = page.title;
    for (const addition of additions) addition(groups);
    count();
    showPlace();
    desk.showReaders?.();
    dispatchEvent(new Event("change"));
  };

  // Ends when a list is shown that was asked for after this.
  let running = null, isAsked = false;
  desk.refresh = () => {
    isAsked = true;
    running ??= (async () => {
      while (isAsked) {
        isAsked = false;
        // The user waits for the message: loading the list at the same time would slow it.
        await showing?.catch(() => {});
        await reload();
      }
    })().finally(() => { running = null; });
    return running;
  };

  // MARK: Acts

  const post = (address, body) => fetch(address, { method: "POST", body, headers: { Accept: "application/json" } })
    .then(async (answer) => (answer.headers.get("Content-Type")?.startsWith("application/json") ? answer.json() : null))
    .catch(() => null);

  // Numbers of the messages that a form is about.
  const numbers = (body) => {
    const file = body.get("file");
    if (file) return [file.split("-")[0]];
    if (body.has("all")) {
      const group = find(`[data-group="${body.get("all").split("-")[0]}"]`);
      return [...group?.querySelectorAll("li.row[data-id]") ?? []].map((row) => row.dataset.id);
    }
    if (body.has("like")) return rows().map((row) => row.dataset.id);
    return [...body.keys()].filter((name) => name.startsWith("message-")).map((name) => name.slice(8));
  };

  // Acts that have no answer yet, and the number of the last one whose answer was shown.
  const pending = new Set();
  let acts = 0, lastShown = 0;

  const act = (form, submitter, more = []) => {
    const doing = carryOut(form, submitter, more).finally(() => pending.delete(doing));
    pending.add(doing);
  };

  const carryOut = async (form, submitter, more) => {
    const number = ++acts;
    // An undo that stands there still is of the act before.
    toasts.replaceChildren();
    const body = fieldsOf(form, submitter);
    // A button in a row is about that row alone, and that of a group about its cause.
    const isMany = more.length > 0;
    if (body.has("file") || body.has("all") || isMany) {
      for (const name of [...body.keys()]) if (name.startsWith("message-")) body.delete(name);
    }
    if (isMany) {
      // Exactly what is chosen, and of what is shown beside it only what is true of all of it.
      for (const name of ["like", "up_to", "cause"]) body.delete(name);
      const groups = new Set([...more, find("article[data-message]")?.dataset.message].map((id) => rowOf(id)?.closest("[data-group]")));
      if (groups.size > 1) for (const name of ["remember", "confirm_address"]) body.delete(name);
      for (const id of more) body.set(`message-${id}`, "1");
    }
    const about = numbers(body);
    const gone = about.map(rowOf).filter(Boolean);
    const all = rows();
    const last = Math.max(...gone.map((row) => all.indexOf(row)), -1);
    const next = all.slice(last + 1).find((row) => !gone.includes(row)) ?? all.findLast((row) => !gone.includes(row));
    // After an act on a cause the next one is opened, whether one of its messages was open or not.
    const isOfCause = body.has("like") || body.has("all") || body.has("file");
    const isOpen = isOfCause || about.includes(find("article[data-message]")?.dataset.message);
    for (const row of gone) {
      boxOf(row).checked = false;
      leaving.add(row.dataset.id);
      row.hidden = true;
    }
    count();
    dispatchEvent(new Event("change"));
    desk.deafUntil = performance.now() + deafTime;
    if (isOpen && next) open(next);
    else if (isOpen) close();
    const answer = await post("/desk/acts", body);
    const refused = new Map((answer?.refused ?? []).map((one) => [String(one.message), one.why]));
    if (!answer || answer.detail) {
      for (const row of gone) bringBack(rowOf(row.dataset.id) ?? row, answer?.detail);
      return say(answer?.detail ?? root.dataset.lost, { isLoss: true });
    }
    // The only question: a fund of another person. The dialog asks it, with both names; until then the mail is back.
    const asked = answer.refused.filter((one) => one.asks).map((one) => String(one.message));
    for (const [id, why] of refused) {
      const row = rowOf(id) ?? gone.find((one) => one.dataset.id === id);
      if (!row) continue;
      bringBack(row, asked.includes(id) ? null : why);
      boxOf(row).checked = gone.length > 1;
    }
    if (asked.length > 0) {
      for (const name of [...body.keys()]) {
        if (name.startsWith("message-") || ["like", "up_to", "cause", "file", "all"].includes(name)) body.delete(name);
      }
      body.set("fund", answer.fund);
      for (const id of asked) body.set(`message-${id}`, "1");
      if (isOpen) open(rowOf(asked[0]));
      await settle(await load("/desk/acts", body), [], []);
    }
    const isAnswered = asked.length < answer.refused.length || answer.act || answer.notes.length > 0;
    const text = [answer.text, ...answer.notes, ...(refused.size > 0 && about.length === 1 ? refused.values() : [])];
    if (number > lastShown && isAnswered) {
      lastShown = number;
      say(text.filter(Boolean).join(" "), { act: answer.act, opensWays: answer.opens_ways, isLoss: !answer.act });
    }
    // The page of a cause is through: the next one opens, where what was done is said.
    if (body.has("like") && answer.act && refused.size === 0 && answer.notes.length === 0) {
      return location.assign(`${body.get("back")}?act=${answer.act}`);
    }
    await desk.refresh();
    // What waits all the same.
    for (const id of about) {
      leaving.delete(id);
      const row = rowOf(id);
      if (row) row.hidden = false;
    }
    count();
  };

  const undo = async (form) => {
    form.querySelector("button").disabled = true;
    const answer = await post(form.action, fieldsOf(form));
    say(answer?.detail ?? [answer?.text ?? root.dataset.lost, ...(answer?.refused ?? []).map(({ why }) => why)].join(" "),
      { isLoss: !answer || answer.detail || answer.refused.length > 0 });
    await desk.refresh();
    const ids = (answer?.messages ?? []).map(String);
    const row = rows().find((row) => ids.includes(row.dataset.id));
    if (row) open(row);
  };

  // Funds that are found while their names are typed.
  let finding = 0, typed, isStale = false;
  const findFunds = async (form) => {
    clearTimeout(typed);
    const turn = ++finding;
    const { page } = await load("/desk/choose", fieldsOf(form));
    const [funds, found] = [page?.querySelector("[data-funds]"), form.querySelector("[data-funds]")];
    if (turn !== finding || !funds) return;
    found?.replaceChildren(...document.adoptNode(funds).children);
    isStale = false;
  };
  const isFinder = (target) => target.matches?.("form[data-acts] [name=q]");
  addEventListener("input", ({ target }) => {
    if (!isFinder(target)) return;
    isStale = true;
    clearTimeout(typed);
    typed = setTimeout(() => findFunds(target.form), 80);
  });
  // Enter presses the first fund that fits what stands there, and never one that stood there before. Mail that may be
  // forged is not filed by a key.
  addEventListener("keydown", async (event) => {
    const { form } = event.target;
    if (event.key !== "Enter" || event.isComposing || !isFinder(event.target)) return;
    event.preventDefault();
    if (isStale) await findFunds(form);
    if (!isStale && !form.elements.confirm_unverified) form.querySelector("[data-funds] button")?.click();
  });
  const choose = (form) => {
    const place = form.querySelector("[data-finder]");
    const [field, found] = [make("input"), make("div")];
    [field.type, field.name, field.autocomplete, field.className] = ["search", "q", "off", "finder"];
    field.placeholder = field.ariaLabel = root.dataset.words;
    found.className = "choices";
    found.dataset.funds = "";
    place.replaceChildren(field, found);
    field.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      place.replaceChildren();
      current()?.querySelector("a.name").focus();
    });
    findFunds(form);
    field.focus();
  };

  // Before acts.js, which shows other pages.
  addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    const action = actionOf(form, submitter);
    const [isUndo, isChoice, isBeside] = [action.endsWith("/undo"), action === "/desk/choose", wide.matches && list()];
    if (!("acts" in form.dataset) && !(isUndo && isBeside)) return;
    event.preventDefault();
    submitter?.closest("[popover]")?.hidePopover();
    if (isUndo) return undo(form);
    if (isChoice && isBeside && submitter.name !== "anyway" && form.querySelector("[data-finder]")) return choose(form);
    if (isChoice || !isBeside) return sendAct(form, submitter);
    form.closest("dialog")?.close();
    act(form, submitter, submitter?.closest("[data-finder]") ? chosen().map((row) => row.dataset.id) : []);
  }, true);

  addEventListener("click", (event) => {
    if (!wide.matches || !list() || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    const link = event.target.closest?.("[data-waiting] li a.name, [data-pane] :is(a[data-view], a[data-step])");
    if (!link) return;
    event.preventDefault();
    const row = "step" in link.dataset ? rowOf(/\d+/.exec(new URL(link.href).pathname)?.[0]) : link.closest("li.row");
    if (row) open(row);
    else show(link.href);
  });

  // MARK: Keys

  const codes = {
    Slash: "/", BracketLeft: "[", BracketRight: "]", ArrowDown: "j", ArrowUp: "k", Enter: "o", NumpadMultiply: "*",
  };
  // The sign that a key writes; of a layout with other letters the one that stands there on a Latin one.
  const sign = ({ key, code, shiftKey }) => {
    if (codes[code] && key.length > 1) return codes[code];
    if (/^[!-~]$/.test(key)) return key;
    if (shiftKey && code === "Slash") return "?";
    const letter = /^(?:Key|Digit)(.)$/.exec(code)?.[1];
    return letter ? (shiftKey ? letter : letter.toLowerCase()) : codes[code];
  };

  // For deskkeys.js.
  Object.assign(desk, {
    root, rows, current, boxOf, chosen, list, mark, open, act, pending, sign, isWide: () => wide.matches,
    showing: () => showing, deafUntil: 0,
  });
}
