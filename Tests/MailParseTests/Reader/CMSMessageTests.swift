import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Results for hostile and streamed encodings. Messages as programs write them are fixtures (`clients/smime-…`).
@Suite struct CMSMessageTests {
    private static let text = Array("Content-Type: text/plain\r\n\r\nsigned\r\n".utf8)

    @Test(arguments: BERForm.allCases)
    func contentIsFoundInEveryForm(_ form: BERForm) throws {
        let bytes = CMSBuilder(form: form).signed(Self.text)
        #expect(try content(of: bytes) == Self.text)
        // Text that a server wrote behind it changes nothing.
        #expect(try content(of: bytes + Array("-- \r\nfooter".utf8)) == Self.text)
    }

    @Test func theIdentifierTells() throws {
        let builder = CMSBuilder(form: .definite)
        for type in [[7, 3], [7, 4], [7, 6], [9, 16, 1, 23]] as [[UInt8]] {
            guard case .encrypted? = try read(builder.message(type, content: Self.text)) else {
                Issue.record("\(type) is not encrypted")
                continue
            }
        }
        for type in [[7, 1], [7, 5], [9, 16, 1, 9], [9, 16, 1, 24]] as [[UInt8]] {
            guard case .other? = try read(builder.message(type, content: Self.text)) else {
                Issue.record("\(type) is known")
                continue
            }
        }
        // Certificates alone, and content of a type that is no mail.
        for bytes in [builder.signed(nil), builder.signed(Self.text, as: [9, 16, 1, 4])] {
            guard case .signed(content: nil)? = try read(bytes) else {
                Issue.record("it has content")
                continue
            }
        }
    }

    @Test(arguments: BERForm.allCases)
    func aTruncatedMessageIsNone(_ form: BERForm) throws {
        let bytes = CMSBuilder(form: form).signed(Self.text)
        let end = try #require(bytes.lastIndex(of: UInt8.lf)) + 1
        // Up to the end of the content nothing is taken for it; what may be missing of an indefinite form stands
        // behind.
        for count in 0..<end { #expect(try content(of: Array(bytes[..<count])) == nil, "\(count)") }
    }

    @Test func noLengthIsBelieved() throws {
        let whole = CMSBuilder(form: .definite).signed(Self.text)
        for index in whole.indices {
            for lie: UInt8 in [0x00, 0x7F, 0x80, 0x81, 0x84, 0x88, 0x89, 0xFE, 0xFF] {
                var bytes = whole
                bytes[index] = lie
                let found = try content(of: bytes) ?? []
                #expect(found.count <= bytes.count)
            }
        }
        // The largest number of octets of a length, with zeros in front, and one too many.
        #expect(try content(of: CMSBuilder(form: .definite, lengthOctets: 8).signed(Self.text)) == Self.text)
        #expect(try content(of: CMSBuilder(form: .definite, lengthOctets: 9).signed(Self.text)) == nil)
        for length: [UInt8] in [
            [0x88] + [UInt8](repeating: 0xFF, count: 8), [0x88, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
        ] {
            #expect(try content(of: [0x30] + length + whole.dropFirst(4)) == nil)
        }
    }

    @Test func depthAndNumberHaveALimit() throws {
        let builder = CMSBuilder(form: .definite)
        func many(_ bytes: [UInt8], _ count: Int) -> [UInt8] { Array(repeatElement(bytes, count: count).joined()) }
        func nested(_ depth: Int) -> [UInt8] {
            builder.signed(string: many([0x24, 0x80], depth) + [0x04, 0x01, 0x78] + many([0, 0], depth))
        }
        #expect(try content(of: nested(3)) == [0x78])
        #expect(try content(of: nested(15)) == [0x78])
        #expect(try content(of: nested(17)) == nil)
        #expect(try content(of: nested(200_000)) == nil)
        #expect(try content(of: builder.signed(string: many([0x24, 0x80], 200_000))) == nil)
        let pieces = many([0x04, 0], 300_000)
        #expect(try content(of: builder.signed(string: [0x24, 0x80] + pieces + [0, 0])) == nil)
    }

    /// Bytes that mean something, at random places: nothing traps, and no place is outside the message.
    @Test func mutatedMessagesAreRead() throws {
        var generator = SeededGenerator(seed: 35)
        let seeds = BERForm.allCases.map { CMSBuilder(form: $0).signed(Self.text) }
        let octets: [UInt8] = [0, 0x04, 0x06, 0x24, 0x30, 0x31, 0x80, 0x82, 0x84, 0x88, 0xA0, 0xFF]
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = octets.randomElement(using: &generator) ?? 0
                case 1: bytes.insert(octets.randomElement(using: &generator) ?? 0, at: place)
                default: bytes.removeLast(min(bytes.count - 1, place % 8))
                }
            }
            _ = try content(of: bytes)
        }
    }

    private func read(_ bytes: [UInt8]) throws -> CMSMessage? {
        try bytes.withUnsafeBytes { try CMSMessage.read(RawSource($0)) }
    }

    private func content(of bytes: [UInt8]) throws -> [UInt8]? {
        guard case .signed(let pieces?)? = try read(bytes) else { return nil }
        return pieces.flatMap { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
    }
}

/// How values are written (X.690 §8.1.3).
enum BERForm: CaseIterable, Sendable {
    case definite
    /// Lengths in more octets than they need.
    case longDefinite
    case indefinite
    /// The content in pieces, of which one is in pieces again.
    case pieces
}

/// Writes CMS messages.
struct CMSBuilder {
    var form: BERForm
    var lengthOctets = 4

    private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]

    func message(_ type: [UInt8], content: [UInt8]) -> [UInt8] {
        constructed(0x30, primitive(0x06, Self.pkcs + type) + constructed(0xA0, content))
    }

    /// - Parameter type: the type of the content below 1.2.840.113549.1.
    func signed(_ content: [UInt8]?, as type: [UInt8] = [7, 1]) -> [UInt8] {
        signed(string: content.map(octetString), as: type)
    }

    /// - Parameter string: the content as it is encoded.
    func signed(string: [UInt8]?, as type: [UInt8] = [7, 1]) -> [UInt8] {
        let algorithms = constructed(0x31, constructed(0x30, primitive(0x06, [0x60, 0x86, 0x48])))
        let encapsulated = primitive(0x06, Self.pkcs + type) + (string.map { constructed(0xA0, $0) } ?? [])
        let signed = primitive(0x02, [1]) + algorithms + constructed(0x30, encapsulated) + constructed(0x31, [])
        return message([7, 2], content: constructed(0x30, signed))
    }

    private func octetString(_ bytes: [UInt8]) -> [UInt8] {
        guard form == .pieces else { return primitive(0x04, bytes) }
        let (first, second) = (bytes.prefix(7), bytes.dropFirst(7))
        let inner = constructed(0x24, primitive(0x04, Array(second.prefix(5))) + primitive(0x04, []))
        return constructed(0x24, primitive(0x04, Array(first)) + inner + primitive(0x04, Array(second.dropFirst(5))))
    }

    private func primitive(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] { [tag] + length(bytes.count) + bytes }

    private func constructed(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        switch form {
        case .indefinite, .pieces: [tag, 0x80] + bytes + [0, 0]
        case .definite, .longDefinite: primitive(tag, bytes)
        }
    }

    private func length(_ count: Int) -> [UInt8] {
        let isLong = form == .longDefinite || lengthOctets != 4
        if count < 0x80, !isLong { return [UInt8(count)] }
        let octets = (0..<lengthOctets).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: count >> (8 * $0)) : 0 }
        return [0x80 | UInt8(lengthOctets)] + octets
    }
}
