// A large file over lines that are cut: every answer of the server, and where the upload goes on.
import { sendInPieces } from "/assets/pieces.js";

const file = new File(["0123456789"], "a.bin", { type: "text/plain", lastModified: 1 });
const words = { changed: "changed" };

// A server that gives the answers of a list: each is a status and its header fields.
const talk = async (answers, { abortAt = Infinity, isOut = () => false, goesOn = false } = {}) => {
  if (!goesOn) sessionStorage.clear();
  const asked = [], came = [], waits = [], stop = new AbortController();
  let renewed = 0;
  const { status } = await sendInPieces({
    file, address: "/upload?name=a", type: "text/plain", signal: stop.signal, words, isOut,
    memory: (act) => act(sessionStorage),
    came: (count) => came.push(count), wait: (isDown) => waits.push(isDown), renew: async () => { renewed += 1; },
    ask: async (method, address, fields, body, signal) => {
      if (signal?.aborted) return { status: 0 };
      asked.push([method, fields["Upload-Offset"], body?.size].filter((one) => one !== undefined).join(" "));
      if (asked.length === abortAt) stop.abort();
      const [status, headers = {}] = answers.shift() ?? [0];
      return { status, getResponseHeader: (name) => headers[name] ?? null };
    },
  });
  return { status, asked, came, waits, renewed, left: sessionStorage.length };
};

export const pieces = async (same) => {
  const begun = [201, { Location: "/u/1" }];
  const at = (offset) => [200, { "Upload-Offset": String(offset) }];
  // Pauses between attempts are over at once.
  const { setTimeout: usual } = window;
  window.setTimeout = (act, time, ...values) => usual(act, time > 60_000 ? time : 0, ...values);
  try {
    for (const [what, answers, options, shouldBe] of [
      ["at once", [begun, [201]], {}, { status: 201, asked: ["POST", "PATCH 0 10"], waits: [false], left: 0 }],
      ["a line that is cut", [begun, [0], at(4), [201]], {},
        { status: 201, asked: ["POST", "PATCH 0 10", "HEAD", "PATCH 4 6"], came: [0, 4], waits: [false, true, false], left: 0 }],
      ["all of it came, the answer did not", [begun, [0], at(10), [201]], {},
        { status: 201, asked: ["POST", "PATCH 0 10", "HEAD", "PATCH 10"], left: 0 }],
      ["a server that is busy", [[503], begun, [201]], {}, { status: 201, asked: ["POST", "POST", "PATCH 0 10"], waits: [true, false] }],
      ["an upload that is gone", [begun, [0], [404], begun, [201]], {},
        { status: 201, asked: ["POST", "PATCH 0 10", "HEAD", "POST", "PATCH 0 10"], left: 0 }],
      ["another offset than was thought", [begun, [409, { "Upload-Offset": "7" }], at(7), [201]], {},
        { status: 201, asked: ["POST", "PATCH 0 10", "HEAD", "PATCH 7 3"], waits: [false, false] }],
      ["the token of a session before", [[403], begun, [201]], {}, { status: 201, asked: ["POST", "POST", "PATCH 0 10"], renewed: 1 }],
      ["that is refused twice", [[403], [403]], {}, { status: 403, asked: ["POST", "POST"], renewed: 1 }],
      ["no room", [begun, [507]], {}, { status: 507, asked: ["POST", "PATCH 0 10"], left: 1 }],
      ["the same file on the next page", [at(6), [201]], { goesOn: true }, { status: 201, asked: ["HEAD", "PATCH 6 4"], left: 0 }],
      ["a name that is taken", [[409]], {}, { status: 409, asked: ["POST"], left: 0 }],
      ["refused when all came", [begun, [409], [204]], {}, { status: 409, asked: ["POST", "PATCH 0 10", "DELETE"], left: 0 }],
      ["no such place", [[404]], {}, { status: 404, asked: ["POST"] }],
      ["signed out", [begun, [401]], { isOut: ({ status }) => status === 401 }, { status: 401, asked: ["POST", "PATCH 0 10"], left: 1 }],
      ["cancelled under way", [begun, [0], [204]], { abortAt: 2 }, { status: 0, asked: ["POST", "PATCH 0 10", "DELETE"], left: 0 }],
      ["cancelled too late", [begun, [0], [204, { "Upload-Complete": "?1" }]], { abortAt: 2 },
        { status: 201, asked: ["POST", "PATCH 0 10", "DELETE"], left: 0 }],
      ["cancelled before it began", [begun, [204]], { abortAt: 1 }, { status: 0, asked: ["POST", "DELETE"], left: 0 }],
    ]) {
      const is = await talk(answers, options);
      for (const [name, value] of Object.entries(shouldBe)) same(`${what}: ${name}`, is[name], value);
      same(`${what}: nothing else was to be asked`, answers.length, 0);
    }
    const never = await talk([begun]);
    same("given up after 24 failures", [never.status, never.asked.filter((one) => one === "HEAD").length], [0, 24]);
  } finally {
    window.setTimeout = usual;
  }
  sessionStorage.clear();
};
