import Crypto
import Foundation
import FundCore
import TestSupport
import Testing

@testable import MailParse
@testable import MailSend

/// Random letters, and receipts and digests of hostile mail, read by others than the writer: GMime, by which this
/// program reads mail, Python's `email`, and mail-parser.
@Suite(.startsPrograms) struct ReadBackTests {
    private static let count = 250

    private func letters(seed: UInt64) async throws -> [(letter: OutgoingMessage, data: MessageData)] {
        var letters = RandomLetters(seed: seed)
        let random = (0..<Self.count).map { _ in letters.letter() }
        let hostile = try await ReceiptComposerTests.hostileReceipts() + DigestComposerTests.hostileDigests()
        return try (random + hostile).map { letter in
            (letter, try MessageWriter.data(of: letter))
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func byGMime(seed: UInt64) async throws {
        let folder = try TestFile.makeFolder("letters")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let recipe = ChildRecipe(executable: BuiltProgram().path, stagingDirectory: folder)
        let pool = ParserPool(recipe, concurrency: 1)
        for (letter, data) in try await letters(seed: seed) {
            let (result, files) = try await pool.withWorker { worker in
                var writer = SpoolDirectory(path: folder).makeWriter()
                try data.collect().withUnsafeBytes { try writer.append($0) }
                let result = try worker.parse(writer.finish(), limits: ParseLimits())
                var files: [[UInt8]] = []
                if case .message(let parsed) = result {
                    for index in parsed.attachments.indices {
                        var bytes: [UInt8] = []
                        try worker.readAttachment(index) { bytes.append(contentsOf: $0) }
                        files.append(bytes)
                    }
                }
                return (result, files)
            }
            let written = String(decoding: try data.collect().prefix(4000), as: UTF8.self)
            guard case .message(let parsed) = result else {
                #expect(Bool(false), "\(result): \(written)")
                continue
            }
            let header = parsed.header
            #expect(header.subject ?? "" == letter.subject, "\(written)")
            #expect(header.from.map(\.addresses) == [Self.read([letter.from])], "\(written)")
            #expect(header.from.allSatisfy { !$0.isMalformed && !$0.hasGroup })
            #expect(header.to == Self.read(letter.to) && header.cc == Self.read(letter.cc), "\(written)")
            #expect(header.date == letter.date && header.messageID == letter.messageID.description)
            // The reader shows nothing of a text that is all blanks.
            let text = letter.expectedText
            #expect(parsed.text ?? "" == (text.trimmed.isEmpty ? "" : text), "\(written)")
            // Some of the names are not what a file may be called.
            #expect(Set(parsed.defects).isSubset(of: [.unsafeFileName]), "\(parsed.defects): \(written)")
            #expect(parsed.attachments.map(\.sentName) == letter.attachments.map(\.name), "\(written)")
            #expect(
                parsed.attachments.map(\.contentType)
                    == letter.attachments.map { OutgoingMessage.expectedType($0.contentType) })
            #expect(files == (try letter.attachments.map { try $0.content.read(0..<$0.content.size) }))
        }
        await pool.shutdown()
    }

    private static func read(_ people: [Correspondent]) -> [NamedAddress] {
        people.map { person in
            let name = person.name ?? ""
            return NamedAddress(displayName: name.isEmpty ? nil : name, address: person.address.description)
        }
    }

    private struct Reading: Decodable {
        var subject: String?
        var people: [String: [[String]]]
        var date: String
        var ids: [[String]?]
        var text: String?
        var files: [[String?]]
        var longest: Int
        var defects: [String]
    }

    /// A reader in Python, and the forms in which it gives texts.
    struct Reader: Sendable, CustomTestStringConvertible {
        /// Words of the command line before the folder; paths are of the tests of this target.
        var words: [String]
        /// The form of texts of the header and of names.
        var headerForm: @Sendable (String) -> String = { $0 }
        var textForm: @Sendable (String) -> String = { $0 }
        /// Whether the name of a file is given as it was sent.
        var readsName: @Sendable (String) -> Bool = { _ in true }

        var testDescription: String { words.last ?? "" }
    }

    private static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../\(name)").path
    }

    static let readers = [
        Reader(words: ["python3", path("read_message.py")]),
        Reader(
            words: [
                "\(PackageRoot.path)/scripts/support/pypi", "mail-parser==4.8.0", "python3",
                path("read_with_mail_parser.py"),
            ],
            headerForm: {
                $0.precomposedStringWithCanonicalMapping.trimmingCharacters(in: .whitespacesAndNewlines)
            },
            textForm: { $0.precomposedStringWithCanonicalMapping },
            readsName: { name in
                // Python takes brackets and quotes off that stand around all of a name.
                !name.contains("=?") && !(name.hasPrefix("<") && name.hasSuffix(">"))
                    && !(name.hasPrefix("\"") && name.hasSuffix("\""))
            }),
    ]

    @Test(arguments: readers)
    func byPython(_ reader: Reader) async throws {
        let folder = try TestFile.makeFolder("letters")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let letters = try await letters(seed: 3)
        for (index, item) in letters.enumerated() {
            try TestFile.write(item.data.collect(), to: "\(folder)/\("\(index)".zeroPadded(to: 4)).eml")
        }
        let output = try await offPool { try ToolRun.output(reader.words + [folder]) }
        // An installation says something first.
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count == letters.count)
        for (line, item) in zip(lines, letters) {
            let reading = try JSONDecoder().decode(Reading.self, from: Data(line.utf8))
            try Self.compare(reading, with: item.letter, item.data, by: reader)
        }
    }

    private static func compare(
        _ reading: Reading, with letter: OutgoingMessage, _ data: MessageData, by reader: Reader
    ) throws {
        let written = String(decoding: try data.collect().prefix(4000), as: UTF8.self)
        let form = reader.headerForm
        #expect(form(reading.subject ?? "").utf8.elementsEqual(form(letter.subject).utf8), "\(written)")
        let fields = [("From", [letter.from]), ("Reply-To", letter.replyTo), ("To", letter.to), ("Cc", letter.cc)]
        for (field, people) in fields {
            let expected = people.map { [form($0.name ?? ""), $0.address.description] }
            let read = (reading.people[field] ?? []).map { $0.map(form) }
            #expect(read == expected, "\(field): \(written)")
        }
        #expect(
            reading.ids.map { $0?.isEmpty == true ? nil : $0 } == [
                ["<\(letter.messageID)>"], letter.inReplyTo.map { ["<\($0)>"] },
                letter.references.isEmpty
                    ? nil : ([letter.references[0]] + letter.references.dropFirst().suffix(19)).map { "<\($0)>" },
            ])
        let (text, expectedText) = (reader.textForm(reading.text ?? ""), reader.textForm(letter.expectedText))
        #expect(text.utf8.elementsEqual(expectedText.utf8), "\(written)")
        let files = try letter.attachments.map { file in
            [
                reader.readsName(file.name) ? form(file.name) : nil, OutgoingMessage.expectedType(file.contentType),
                Hex.text(SHA256.hash(data: try file.content.read(0..<file.content.size)).map(\.self)),
            ]
        }
        let found = zip(reading.files, letter.attachments).map { read, file in
            [reader.readsName(file.name) ? read[0].map(form) : nil] + read.dropFirst()
        }
        #expect(found == files && reading.files.count == files.count, "\(written)")
        #expect(reading.longest <= 998 && reading.defects.isEmpty, "\(reading.defects): \(written)")
    }
}
