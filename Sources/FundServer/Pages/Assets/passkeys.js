// Passkeys: a form with data-passkey asks the browser for one, takes its answer into fields, and is sent as any other.
// They belong to one address of the server: elsewhere, and where the browser makes none, the form stays hidden.
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const challenge = async (form) => {
  const csrf = document.querySelector("meta[name=csrf]")?.content;
  const headers = { Accept: "application/json", ...csrf && { "X-Form-Token": csrf } };
  const answer = await fetch(form.dataset.challenge, { method: "POST", headers, redirect: "error" });
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
};

const listed = (ids) => ids.map((id) => ({ type: "public-key", id: bytes(id) }));
// Milliseconds for which the browser asks; the challenge is good for a little longer.
const timeout = 240_000;

const acts = {
  create: async (given) => {
    const { rawId, response } = await navigator.credentials.create({ publicKey: {
      challenge: bytes(given.challenge), rp: { id: given.site, name: "Fundmail" },
      user: { id: bytes(given.user), name: given.name, displayName: given.shown },
      pubKeyCredParams: given.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: listed(given.known), attestation: "none", timeout,
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    } });
    return { credential: rawId, client: response.clientDataJSON, attestation: response.attestationObject };
  },
  get: async (given) => {
    const { rawId, response } = await navigator.credentials.get({ publicKey: {
      challenge: bytes(given.challenge), rpId: given.site, allowCredentials: listed(given.known),
      userVerification: "required", timeout,
    } });
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return { credential: rawId, client: clientDataJSON, data: authenticatorData, signature, user: userHandle };
  },
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential || form.dataset.site !== location.origin) continue;
  form.hidden = false;
  const [button, said] = [form.querySelector("button"), form.querySelector("[role=alert]")];
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.hidden = true;
    try {
      const answer = await acts[form.dataset.passkey](await challenge(form));
      for (const [name, value] of Object.entries(answer)) {
        if (!value) continue;
        const field = form.elements[name] ?? form.appendChild(document.createElement("input"));
        Object.assign(field, { type: "hidden", name, value: text(value) });
      }
      form.submit();
    } catch (error) {
      const { cancelled, known, failed } = form.dataset;
      said.textContent = error.name === "InvalidStateError" ? known ?? failed : error.name === "NotAllowedError" ? cancelled : failed;
      said.hidden = false;
    }
    button.disabled = false;
  });
}
const none = document.querySelector("[data-passkey-none]");
if (none && !document.querySelector("form[data-passkey=create]:not([hidden])")) none.hidden = false;
