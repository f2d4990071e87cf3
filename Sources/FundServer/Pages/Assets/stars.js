// Favourites without another page. What the server does not take is sent as a form, and the page that comes says why.
addEventListener("click", async (event) => {
  const star = event.target.closest?.("button.star");
  if (!star || star.ariaBusy === "true") return;
  event.preventDefault();
  const on = star.value === "1";
  star.ariaBusy = "true";
  // What is opened has a star beside its list as well as in it.
  const same = [...document.querySelectorAll("button.star")].filter((other) => other.formAction === star.formAction);
  const show = (on) => same.forEach((one) => { one.ariaPressed = String(on); one.value = on ? "0" : "1"; });
  show(on);
  const body = new URLSearchParams({ csrf: star.form.elements.csrf.value, on: on ? "1" : "0" });
  const answer = await fetch(star.formAction, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual" })
    .catch(() => null);
  star.removeAttribute("aria-busy");
  if (answer?.ok) return;
  show(!on);
  if (answer) star.form.requestSubmit(star);
});
