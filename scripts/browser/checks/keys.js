// What a key means at the desk, and what a form is about.
import { numbers, sign } from "/opened/desk.js?sign,numbers";

export const keys = (same) => {
  for (const [key, code, shiftKey, name] of [
    ["j", "KeyJ", false, "j"], ["J", "KeyJ", true, "J"], ["1", "Digit1", false, "1"], ["*", "Digit8", true, "*"],
    ["*", "NumpadMultiply", false, "*"], ["[", "BracketLeft", false, "["], ["?", "Slash", true, "?"],
    ["/", "Slash", false, "/"], ["ArrowDown", "ArrowDown", false, "j"], ["ArrowUp", "ArrowUp", false, "k"],
    ["Enter", "Enter", false, "o"],
    // A layout with other letters: what stands on the key of a Latin one.
    ["о", "KeyJ", false, "j"], ["О", "KeyJ", true, "J"], ["я", "KeyZ", false, "z"], ["х", "BracketLeft", false, "["],
    // What a Latin layout writes counts, not where it stands: German and French.
    ["z", "KeyY", false, "z"], ["a", "KeyQ", false, "a"], ["/", "Digit7", true, "/"],
    ["Tab", "Tab", false, undefined], ["Shift", "ShiftLeft", true, undefined], ["F5", "F5", false, undefined],
  ]) same(`${key} at ${code}`, sign({ key, code, shiftKey }), name);

  for (const [fields, ids] of [
    [{ "message-7": "1", "message-12": "1", fund: "3" }, ["7", "12"]], [{ file: "9-4", "message-7": "1" }, ["9"]],
    [{ fund: "3" }, []], [{ like: "7", "message-7": "1" }, []],
  ]) same(JSON.stringify(fields), numbers(new URLSearchParams(fields)), ids);
};
