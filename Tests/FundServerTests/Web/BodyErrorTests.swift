import TestSupport
import Testing

@testable import FundServer

/// Bodies that cannot be read: the answer names the member in the words of who wrote it, and no type of the program.
struct BodyErrorTests {
    @Test func aMemberIsNamedInPlainWords() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let rows: [(body: String, words: String)] = [
            (#"{"name":3}"#, "name must be a text"), (#"{"name":["a"]}"#, "name must be a text"),
            (#"{"addresses":"a@b.c"}"#, "addresses must be a list"),
            (#"{"addresses":{"value":"a@b.c"}}"#, "addresses must be a list"),
            (#"{"addresses":[{"value":"a@b.c"},"b@c.d"]}"#, "addresses[1] must be an object"),
            (#"{"addresses":[{"kind":"work"}]}"#, "addresses[0].value is missing"),
            (#"{"addresses":[{"value":null}]}"#, "addresses[0].value is null and must be a text"),
            (#"{"addresses":[{"value":"a@b.c","kind":"x"}]}"#, "addresses[0].kind makes no sense"),
            (#"{"groups":["a",2]}"#, "groups[1] must be a text"),
            (#"{"phones":[true]}"#, "phones[0] must be an object"),
            (#"{"name":"a","unless_revision":"1"}"#, "unless_revision must be a whole number"),
            (#"{"name":"a","unless_revision":1.5}"#, "a number in the body does not fit"),
            ("[]", "the body must be an object"),
            ("3", "the body must be an object"), ("null", "the body"), ("{", "the body is not JSON"),
            ("", "the body is not JSON"), ("{\"name\":\"\u{1}\"}", "the body is not JSON"),
            (String(repeating: "[", count: 2000), "the body is not JSON"),
        ]
        for (body, words) in rows {
            let answer = try await harness.send("POST", "/api/v1/contacts", token: token, json: body)
            #expect(answer.status == 400 && answer.text.contains(words), "\(body.prefix(80)): \(answer.text)")
            for name in ["Decoding", "Swift", "Foundation", "Index", "couldn", "keyNotFound", "String", "Int64"] {
                #expect(!answer.text.contains(name), "\(body.prefix(80)): \(answer.text)")
            }
        }
        try await harness.stop()
    }
}
