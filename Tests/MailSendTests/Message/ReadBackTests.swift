import Crypto
import Foundation
import FundCore
import TestSupport
import Testing

@testable import MailParse
@testable import MailSend

/// Random letters, read by others than the writer: GMime, by which this program reads mail, and Python's `email`.
@Suite(.startsPrograms) struct ReadBackTests {
    private static let count = 250

    private func letters(seed: UInt64) throws -> [(letter: OutgoingMessage, data: MessageData)] {
        var letters = RandomLetters(seed: seed)
        return try (0..<Self.count).map { _ in
            let letter = letters.letter()
            return (letter, try MessageWriter.data(of: letter))
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func byGMime(seed: UInt64) async throws {
        let folder = try TestFile.makeFolder("letters")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let recipe = ChildRecipe(executable: BuiltProgram().path, stagingDirectory: folder)
        let pool = ParserPool(recipe, concurrency: 1)
        for (letter, data) in try letters(seed: seed) {
            let (result, files) = try await pool.withWorker { worker in
                var writer = SpoolDirectory(path: folder).makeWriter()
                try data.bytes.withUnsafeBytes { try writer.append($0) }
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
            let written = String(decoding: data.bytes.prefix(4000), as: UTF8.self)
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
            #expect(files == letter.attachments.map(\.bytes))
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

    @Test func byPython() async throws {
        let folder = try TestFile.makeFolder("letters")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let letters = try letters(seed: 3)
        for (index, item) in letters.enumerated() {
            try TestFile.write(item.data.bytes, to: "\(folder)/\("\(index)".zeroPadded(to: 4)).eml")
        }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../read_message.py").path
        let output = try await offPool { try ToolRun.output(["python3", script, folder]) }
        let lines = output.split(separator: "\n")
        #expect(lines.count == letters.count)
        for (line, item) in zip(lines, letters) {
            let reading = try JSONDecoder().decode(Reading.self, from: Data(line.utf8))
            let letter = item.letter
            let written = String(decoding: item.data.bytes.prefix(4000), as: UTF8.self)
            #expect(reading.subject ?? "" == letter.subject, "\(written)")
            let fields = [
                ("From", [letter.from]), ("Reply-To", letter.replyTo), ("To", letter.to), ("Cc", letter.cc),
            ]
            for (field, people) in fields {
                let expected = people.map { [$0.name ?? "", $0.address.description] }
                #expect(reading.people[field] ?? [] == expected, "\(field): \(written)")
            }
            #expect(
                reading.ids == [
                    ["<\(letter.messageID)>"], letter.inReplyTo.map { ["<\($0)>"] },
                    letter.references.isEmpty
                        ? nil : ([letter.references[0]] + letter.references.dropFirst().suffix(19)).map { "<\($0)>" },
                ])
            #expect(reading.text ?? "" == letter.expectedText, "\(written)")
            let files = letter.attachments.map { file in
                [
                    file.name, OutgoingMessage.expectedType(file.contentType),
                    Hex.text(SHA256.hash(data: file.bytes).map(\.self)),
                ]
            }
            #expect(reading.files == files, "\(written)")
            #expect(reading.longest <= 998 && reading.defects.isEmpty, "\(reading.defects): \(written)")
        }
    }
}
