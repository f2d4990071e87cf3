import FundCore
import Testing

/// Elements of arrays that come in pieces of any size.
struct JSONArrayReaderTests {
    /// The elements as texts, `…` for those that are too large.
    private static func elements(_ json: String, piece: Int, maxBytes: Int = 100, maxDepth: Int = 4) throws -> [String]
    {
        var rest = Array(json.utf8)[...]
        var reader = JSONArrayReader(maxBytes: maxBytes, maxDepth: maxDepth) { buffer in
            let count = min(piece, buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return count
        }
        var elements: [String] = []
        while let element = try reader.next() {
            switch element {
            case .bytes(let bytes): elements.append(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
            case .tooLarge: elements.append("…")
            }
        }
        #expect(try reader.next() == nil, "the end stays the end")
        return elements
    }

    @Test(
        arguments: [
            ("[]", []), (" [ \n ] \n", []), ("[1]", ["1"]), ("[1,\n2]", ["1", "2"]),
            (#"[{"a":"]},[\"\\"},[[],{}]]"#, [#"{"a":"]},[\"\\"}"#, "[[],{}]"]),
            (#"["\\", "\"]"]"#, [#""\\""#, #""\"]""#]),
            // Whether it is JSON is for the reader of the element.
            ("[1,]", ["1", ""]), ("[,]", ["", ""]), (#"[{"a":1], 2]"#, [#"{"a":1]"#, "2"]),
            ("[[[[[1]]]],2]", ["[[[[1]]]]", "2"]), ("[[[[[[1]]]]],2]", ["…", "2"]),
        ] as [(String, [String])], [1, 3, 1000])
    func splits(_ text: (json: String, elements: [String]), piece: Int) throws {
        #expect(try Self.elements(text.json, piece: piece) == text.elements)
    }

    @Test(arguments: [1, 7, 1000])
    func leavesOutWhatIsTooLarge(_ piece: Int) throws {
        let long = String(repeating: "x", count: 200)
        #expect(try Self.elements("[\"\(long)\",1,\"\(long)\"]", piece: piece) == ["…", "1", "…"])
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try Self.elements("[\(deep),1]", piece: 1000) == ["…", "1"])
    }

    @Test(
        arguments: [
            ("", 0, "no list"), ("{}", 0, "no list"), ("[1", 2, "ends"), ("[\"]", 3, "ends"), ("[1}", 2, "closes"),
            ("[] x", 3, "behind"), ("[1]]", 3, "behind"), ("[", 1, "ends"),
        ] as [(String, Int64, String)], [1, 1000])
    func refuses(_ text: (json: String, offset: Int64, words: String), piece: Int) throws {
        let error = try #require(throws: JSONArrayReader.Malformed.self) {
            try Self.elements(text.json, piece: piece)
        }
        #expect(error.offset == text.offset && error.problem.contains(text.words), "\(error)")
    }
}
