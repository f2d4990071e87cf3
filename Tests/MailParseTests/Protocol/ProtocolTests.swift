import ChildProcesses
import TestSupport
import Foundation
import FundCore
import Testing

@testable import MailParse

/// The frames of the protocol, and children that break it.
struct ProtocolTests {
    private static func response(_ attachments: [PackedAttachment] = []) -> ParseResponse {
        var header = MessageHeader()
        header.from = [
            AddressField(addresses: [NamedAddress(displayName: "Ann", address: "ann@example.com")], text: "Ann")
        ]
        header.to = [NamedAddress(address: "b@example.com")]
        header.replyTo = [NamedAddress(displayName: "Office", address: "office@example.com")]
        header.subjects = ["[Fund1] x", "二"]
        header.date = Timestamp(-5)
        header.messageID = "1@x"
        header.references = ["2@x"]
        header.automatic.autoSubmitted = "no"
        header.automatic.responderFields = ["x-autoreply"]
        (header.automatic.isOfList, header.automatic.refusesAnswers) = (true, true)
        header.trace = [.received("a"), .authenticationResults("b")]
        header.envelopeRecipients = ["funds+b.1.x@corp.example"]
        var defects = DefectSet()
        defects.formUnion([.duplicateFrom, .malformedTNEF])
        return .message(
            .init(
                header: header, text: "t", html: nil, attachments: attachments, defects: defects,
                report: DeliveryReport(entries: [.init(action: "failed", status: "5.1.1", diagnostic: "no")])))
    }

    private static func read(
        _ response: ParseResponse, packBytes: Int64 = 10, change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> ParseResponse {
        var writer = FrameWriter()
        var frame = response.write(to: &writer)
        change(&frame)
        return try frame.withUnsafeBytes {
            try ResponseReader(limits: ParseLimits(), packBytes: packBytes).read(
                UnsafeRawBufferPointer(rebasing: $0[Frame.lengthBytes...]))
        }
    }

    private static let attachment = PackedAttachment(
        sentName: "a.pdf", contentType: "application/pdf", offset: 2, count: 8, contentID: "c", partPath: "2.1")

    @Test func aResponseComesBackAsItWent() throws {
        let response = Self.response([Self.attachment])
        #expect(try Self.read(response) == response)
        let refused = ParseResponse.refused(.tooComplex, detail: "deep", header: nil, defects: DefectSet())
        #expect(try Self.read(refused) == refused)
    }

    @Test func aRequestComesBackAsItWent() throws {
        var limits = ParseLimits()
        limits.maxDepth = 7
        let request = ParseRequest(limits: limits, messageBytes: 1 << 40)
        var writer = FrameWriter()
        let frame = request.write(to: &writer)
        let read = try frame.withUnsafeBytes { bytes in
            try ParseRequest(body: UnsafeRawBufferPointer(rebasing: bytes[Frame.lengthBytes...]))
        }
        #expect(read == request)
    }

    /// Every beginning of a frame is refused, and no byte that is changed makes the reader trap.
    @Test func cutAndChangedFramesAreRefusedOrHarmless() throws {
        var writer = FrameWriter()
        let frame = Self.response([Self.attachment]).write(to: &writer)
        for count in 0..<(frame.count - Frame.lengthBytes) {
            #expect(throws: FrameError.self) {
                try Self.read(Self.response([Self.attachment])) {
                    $0.removeLast(frame.count - Frame.lengthBytes - count)
                }
            }
        }
        for index in Frame.lengthBytes..<frame.count {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                _ = try? Self.read(Self.response([Self.attachment])) { $0[index] = value }
            }
        }
    }

    @Test(arguments: [
        PackedAttachment(contentType: "application/pdf", offset: 0, count: 11, partPath: "1"),
        PackedAttachment(contentType: "application/pdf", offset: -1, count: 1, partPath: "1"),
        PackedAttachment(contentType: "application/pdf", offset: 1, count: -1, partPath: "1"),
        PackedAttachment(contentType: "application/pdf", offset: .max, count: 1, partPath: "1"),
        PackedAttachment(contentType: "application", offset: 0, count: 1, partPath: "1"),
        PackedAttachment(contentType: "a/b\r\nX: y", offset: 0, count: 1, partPath: "1"),
        PackedAttachment(contentType: "Text/Plain", offset: 0, count: 1, partPath: "1"),
        PackedAttachment(contentType: "a/b", offset: 0, count: 1, partPath: ""),
        PackedAttachment(contentType: "a/b", offset: 0, count: 1, partPath: "../1"),
        PackedAttachment(contentType: "a/b", offset: 0, count: 1, partPath: "1..2"),
        PackedAttachment(contentType: "a/b", offset: 0, count: 1, partPath: "01"),
        PackedAttachment(sentName: "", contentType: "a/b", offset: 0, count: 1, partPath: "1"),
    ])
    func attachmentsThatCannotBeAreRefused(attachment: PackedAttachment) {
        #expect(throws: FrameError.self) { try Self.read(Self.response([attachment])) }
    }

    @Test func moreAttachmentsThanAllowedAreRefused() {
        let many = [PackedAttachment](repeating: Self.attachment, count: 1001)
        #expect(throws: FrameError.self) { try Self.read(Self.response(many)) }
    }

    /// Children that answer with something else: each is killed and its message refused.
    @Test(
        .startsPrograms,
        arguments: [
            (#"printf '\377\377\377\377\003'"#, "the parser broke the protocol: a frame of 4294967295 bytes"),
            (#"printf '\000\000\000\000'"#, "the parser broke the protocol: a frame of 0 bytes"),
            (#"printf '\001\000\000\000\011'"#, "the parser broke the protocol: an answer of unknown kind"),
            (#"printf '\001\000\000\000\003xxxx'"#, "the parser broke the protocol: more than one answer"),
            (
                #"printf '\020\000\000\000\002\003\002\000\000\000\377\376\000\000\000\000\000\000\000\000'"#,
                "the parser broke the protocol: invalid UTF-8"
            ),
            (
                #"printf '\006\000\000\000\002\003\377\377\377\377'"#,
                "the parser broke the protocol: a text of 4294967295 bytes"
            ),
            ("exit 4", "the parser ended by itself with status 4"), ("kill -9 $$", "the parser crashed: Killed"),
            (#"printf '\020\000'; sleep 60"#, "the parser was stopped after 1 s"),
            ("yes >&2 & sleep 60", "the parser was stopped after 1 s"),
        ])
    func aChildThatBreaksTheProtocolCostsOneMessage(answer: String, detail: String) async throws {
        let script = #"printf '\002\000\000\000\004\003'; head -c 20 > /dev/null; "# + answer
        // Only those that hang: a shell may take long to start.
        let fixture = try PoolHarness(script: script, maxSeconds: detail.hasSuffix("after 1 s") ? 1 : 60)
        for _ in 0..<2 {
            let parsed = try await fixture.parse("Subject: x\n\nx\n")
            #expect(parsed.refusal?.reason == .unparseable)
            #expect(parsed.refusal?.detail.hasPrefix(detail) == true, "\(parsed.result)")
        }
        #expect(fixture.pool.restartCount == 2)
    }
}
