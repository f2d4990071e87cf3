import ChildProcesses
import FundCore
import TestSupport
import Testing

@testable import MailParse

/// HTML made harmless in a child process.
@Suite(.startsPrograms) struct SanitizerPoolTests {
    @Test
    func sanitizesInAChild() async throws {
        let harness = try PoolHarness()
        let mail = HTMLMail(
            html: "<p onclick=x>Hi <img src=cid:a><a href=http://1.2.3.4/>b.example</a><img src=http://c.example>",
            pictures: [HTMLMail.Picture(contentID: "a", name: "a.png", bytes: 10)])
        let result = try #require(try await harness.pool.sanitize(mail))
        #expect(result == MarkupSanitizer.sanitized(mail))
        #expect(result.blockedPictures == 1)
        #expect(result.pictureIndices == [0])
        #expect(
            result.links == [DisguisedLink(target: try #require(LinkTarget("http://1.2.3.4/")), shownHost: "b.example")]
        )
        // One child parses and goes on sanitizing.
        let children = await harness.pool.childIdentifiers()
        #expect(try await harness.parse("Subject: x\r\n\r\ny").message?.text == "y")
        let long = HTMLMail(html: String(repeating: "<p title='\"'>x</p>", count: 60_000))
        #expect(try await harness.pool.sanitize(long)?.isCut == false)
        #expect(await harness.pool.childIdentifiers() == children)
        #expect(harness.pool.restartCount == 0)
    }

    /// A mail that breaks a child costs itself, and the next one gets a new child.
    @Test(arguments: ["crash", "exit", "hang", "garbage", "memory"])
    func survivesItsChild(poison: String) async throws {
        let harness = try PoolHarness(debug: .poison, maxSeconds: poison == "hang" ? 1 : 300)
        let mail = HTMLMail(html: "x\nX-Fundmail-Poison: \(poison)\n")
        #expect(try await harness.pool.sanitize(mail) == nil)
        #expect(try await harness.pool.sanitize(HTMLMail(html: "<b>x</b>"))?.text == "<b>x</b>")
        #expect(harness.pool.restartCount == 1)
    }

    /// A child that was taken over could answer anything.
    @Test
    func checksAnswers() throws {
        var writer = FrameWriter()
        let mail = SanitizedMail(
            pieces: [
                .markup("x"), .picture(1), .link(DisguisedLink(target: try #require(LinkTarget("http://a.example")))),
            ],
            blockedPictures: 3, hasDarkColours: true, isCut: true)
        func read(_ frame: [UInt8], pictures: Int = 2) throws(FrameError) -> SanitizedMail {
            try frame[Frame.lengthBytes...].withBytes { (body) throws(FrameError) in
                try SanitizedMail(body: body, pictureCount: pictures)
            }
        }
        let frame = mail.write(to: &writer)
        #expect(try read(frame) == mail)
        #expect(throws: FrameError.self) { try read(frame, pictures: 1) }
        #expect(throws: FrameError.self) { try read(frame + [0]) }
        for count in Frame.lengthBytes..<frame.count {
            #expect(throws: FrameError.self) { try read(Array(frame[..<count])) }
        }
        for index in Frame.lengthBytes..<frame.count {
            var changed = frame
            changed[index] ^= 0xFF
            if let other = try? read(changed) { #expect(other.pictureIndices.allSatisfy { $0 < 2 }) }
        }
        let link = DisguisedLink(target: try #require(LinkTarget("http://1")))
        let many = SanitizedMail(
            pieces: Array(repeating: .link(link), count: MarkupSanitizer.maxDisguisedLinks + 1))
        #expect(throws: FrameError.self) { try read(many.write(to: &writer)) }
        let target = "javascript:alert(1)"
        writer.begin(.sanitized)
        writer.list([target]) { writer, target in
            writer.u8(3)
            writer.string(target)
            writer.optional(nil)
        }
        writer.u32(0)
        writer.flag(false)
        writer.flag(false)
        let hostile = writer.end()
        #expect(throws: FrameError.self) { try read(hostile) }
    }
}
