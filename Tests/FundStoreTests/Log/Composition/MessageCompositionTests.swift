import TestSupport
internal import Foundation
import FundCore
import Testing

@testable import FundStore

@Suite struct MessageCompositionTests {
    /// A message and what it repeats, into a log and back. Returns the share of the message that the record holds, nil
    /// when it repeats nothing.
    private func share(of message: [UInt8], repeating contents: [[UInt8]]) throws -> Double? {
        let log = try LogHarness()
        let writer = log.writer()
        var locations: [ContentDigest: RecordLocation] = [:]
        for content in contents { locations[.of(content)] = try log.append(content, to: writer) }
        guard let location = try log.append(message: message, repeating: contents, to: writer) else { return nil }
        #expect(try log.content(at: location, of: .of(message), among: locations) == message)
        try log.reader.record(at: location, of: .of(message)).verify { digest in
            try locations[digest].map { try log.reader.record(at: $0, of: digest) }
        }
        return Double(location.count) / Double(message.count)
    }

    @Test(arguments: [1, 2, 3, 4, 19, 60, 64, 75, 76, 77, 998, 5000, nil], [Base64LineEncoder.Lines.End.lf, .crlf])
    func takesBase64OfAnyLines(length: Int?, end: Base64LineEncoder.Lines.End) throws {
        var random = SeededGenerator(seed: 1)
        for count in [128, 129, 130, 3000, 57 * 40, 100_000] {
            let content = randomBytes(count, using: &random)
            let message = mail(with: [content], .init(length: length, end: end))
            let share = try share(of: message, repeating: [content])
            // The beginning of a content is looked for within a line.
            if let length, length < 32 {
                #expect(share == nil)
            } else {
                #expect(try #require(share) < (count < 3000 ? 1.5 : 0.3))
            }
        }
    }

    @Test
    func takesContentsThatStandAsTheyAre() throws {
        var random = SeededGenerator(seed: 2)
        let inner = randomBytes(5000, using: &random)
        let nested = mail(with: [inner], .init(length: 76, end: .crlf))
        let outer = Array("Content-Type: message/rfc822\r\n\r\n".utf8) + nested + Array("\r\n--y--\r\n".utf8)
        // The nested message first, as the parser lists it.
        #expect(try #require(try share(of: outer, repeating: [nested, inner])) < 0.1)
        #expect(try #require(try share(of: outer, repeating: [inner, nested])) < 0.2)
    }

    @Test
    func takesTheSameContentTwice() throws {
        var random = SeededGenerator(seed: 3)
        let content = randomBytes(3000, using: &random)
        let message = mail(with: [content, content], .init(length: 76, end: .lf))
        #expect(try #require(try share(of: message, repeating: [content, content])) < 0.2)
    }

    /// Contents of one kind begin alike.
    @Test
    func tellsContentsApartThatBeginAlike() throws {
        var random = SeededGenerator(seed: 4)
        let contents = (0..<5).map { _ in [UInt8](repeating: 37, count: 500) + randomBytes(3500, using: &random) }
        let message = mail(with: contents, .init(length: 76, end: .lf))
        #expect(try #require(try share(of: message, repeating: contents)) < 0.2)
        #expect(try #require(try share(of: message, repeating: contents.reversed())) < 0.4)
    }

    @Test
    func leavesWhatWouldNotComeBack() throws {
        var random = SeededGenerator(seed: 5)
        let content = randomBytes(3000, using: &random)
        let whole = mail(with: [content], .init(length: 76, end: .lf))
        let text = String(decoding: whole, as: UTF8.self)
        let start = try #require(text.range(of: "filename=0\n\n")).upperBound
        let line = text.index(start, offsetBy: 76 * 10)
        for odd in [" ", "\n", "\r", "=", "-"] {
            var changed = text
            changed.insert(contentsOf: odd, at: line)
            #expect(try share(of: Array(changed.utf8), repeating: [content]) == nil, "\(odd.debugDescription)")
        }
        // Without its last signs, and with other contents than it has.
        #expect(try share(of: Array(whole.dropLast(20)), repeating: [content]) == nil)
        #expect(try share(of: whole, repeating: [content + [1]]) == nil)
        #expect(try share(of: whole, repeating: [Array(content.prefix(100))]) == nil)
    }

    /// 5,000 messages of random parts, of which some are repeated exactly, some are not and some are no part at all.
    @Test
    func comesBackByteForByte() throws {
        var random = SeededGenerator(seed: 6)
        let log = try LogHarness()
        let writer = log.writer()
        var locations: [ContentDigest: RecordLocation] = [:]
        var composed = 0
        for _ in 0..<5000 {
            var message = Array("From: a@example.com\r\nSubject: [F] x\r\n\r\n".utf8)
            var contents: [[UInt8]] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let size = Int.random(in: 0...1500, using: &random)
                let content =
                    Bool.random(using: &random)
                    ? randomBytes(size, using: &random)
                    : [UInt8](repeating: .random(in: .min ... .max, using: &random), count: size)
                var lines = Base64LineEncoder.Lines(length: .random(in: 1...100, using: &random), end: .crlf)
                if Bool.random(using: &random) { lines.end = .lf }
                if Int.random(in: 0..<5, using: &random) == 0 { lines.length = nil }
                var part = Bool.random(using: &random) ? mail(with: [content], lines) : content
                if Int.random(in: 0..<4, using: &random) == 0, let index = part.indices.randomElement(using: &random) {
                    part[index] ^= 1
                }
                message += part
                if Int.random(in: 0..<6, using: &random) > 0 { contents.append(content) }
            }
            for content in contents where locations[.of(content)] == nil {
                locations[.of(content)] = try log.append(content, to: writer)
            }
            guard
                let location = try log.append(
                    message: message, repeating: contents.shuffled(using: &random), to: writer)
            else { continue }
            composed += 1
            #expect(try log.content(at: location, of: .of(message), among: locations) == message)
        }
        #expect(composed > 2000)
    }

    /// A part of a message is put together from no more than the part of a content that gives it.
    @Test(arguments: [32, 60, 75, 76, 77, 78, 998, nil], [Base64LineEncoder.Lines.End.lf, .crlf])
    func givesAnyRange(length: Int?, end: Base64LineEncoder.Lines.End) throws {
        var random = SeededGenerator(seed: 8)
        let contents = [randomBytes(70_001, using: &random), randomBytes(2000, using: &random)]
        let lines = Base64LineEncoder.Lines(length: length, end: end)
        let message = mail(with: contents, lines)
        let log = try LogHarness()
        let writer = log.writer()
        var locations: [ContentDigest: RecordLocation] = [:]
        for content in contents { locations[.of(content)] = try log.append(content, to: writer) }
        let location = try #require(try log.append(message: message, repeating: contents, to: writer))
        let record = try log.reader.record(at: location, of: .of(message))
        for _ in 0..<200 {
            let start = Int.random(in: 0..<message.count, using: &random)
            let range = start..<Int.random(in: start...min(start + 5000, message.count), using: &random)
            var given: [UInt8] = []
            try record.content(
                Int64(range.lowerBound)..<Int64(range.upperBound),
                { digest in try locations[digest].map { try log.reader.record(at: $0, of: digest) } }, { given += $0 })
            #expect(given == Array(message[range]), "\(range) of \(message.count)")
            let source = lines.source(of: Int64(start)..<Int64(start + 1), contentBytes: 70_001)
            #expect(source.bytes.count <= 9 * (length ?? 4))
        }
    }

    /// Each content begins at each line of the message, and differs at its end.
    @Test
    func endsWithHostileRepetitions() throws {
        let line = [UInt8](repeating: UInt8(ascii: "A"), count: 76) + [.lf]
        let cases: [(message: [UInt8], content: [UInt8])] = [
            ([UInt8](repeating: .lf, count: 2_000_000), [UInt8](repeating: .lf, count: 1_000_000) + [1]),
            (Array(repeatElement(line, count: 26_000).joined()), [UInt8](repeating: 0, count: 700_000) + [1]),
        ]
        for (message, content) in cases {
            let time = message.withUnsafeBytes { message in
                content.withUnsafeBytes { bytes in
                    ContinuousClock().measure {
                        let contents = [MessageComposition.Content](
                            repeating: .init(digest: .of([]), bytes: bytes), count: 100)
                        #expect(MessageComposition(of: message, repeating: contents) == nil)
                    }
                }
            }
            // Hours without a bound.
            #expect(time < .seconds(60))
        }
    }

    @Test
    func refusesTablesThatLie() throws {
        var random = SeededGenerator(seed: 7)
        let content = randomBytes(3000, using: &random)
        let message = mail(with: [content], .init(length: 76, end: .lf))
        let composition = try message.withUnsafeBytes { bytes in
            try content.withUnsafeBytes { content in
                try #require(MessageComposition(of: bytes, repeating: [.init(digest: .of(content), bytes: content)]))
            }
        }
        let table = composition.table
        func read(_ table: [UInt8], _ count: Int = message.count) -> MessageComposition? {
            table.withUnsafeBytes { MessageComposition(table: $0, messageBytes: Int64(count)) }
        }
        #expect(read(table) == composition)
        #expect(read(table, message.count + 1) == nil)
        for count in 0..<table.count { #expect(read(Array(table.prefix(count))) == nil) }
        for index in table.indices {
            var changed = table
            changed[index] ^= .max
            #expect(read(changed) != composition, "byte \(index)")
        }
    }
}
