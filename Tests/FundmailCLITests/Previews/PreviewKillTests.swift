import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

/// The server dies by SIGKILL, with its converters, while it makes previews. The next one makes what is missing.
@Suite(.startsPrograms, .serialized) struct PreviewKillTests {
    private static let count = 20

    private static func pdf(_ number: Int) -> String {
        """
        %PDF-1.4
        1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
        2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
        3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 \(300 + number)] >> endobj
        trailer << /Root 1 0 R >>
        """
    }

    private func mail(from sender: String, to fund: String) -> [UInt8] {
        let parts = (0..<Self.count).map { number in
            "--b\r\nContent-Type: application/pdf; name=\"f\(number).pdf\"\r\nContent-Transfer-Encoding: base64\r\n"
                + "Content-Disposition: attachment\r\n\r\n"
                + Data(Self.pdf(number).utf8).base64EncodedString(options: .lineLength76Characters) + "\r\n"
        }
        return Array(
            ("From: \(sender)\r\nSubject: [\(fund)] x\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + parts.joined() + "--b--\r\n").utf8)
    }

    @Test func noWorkIsLostAndNoPictureTorn() async throws {
        let replay = try await ReplayStore()
        defer { try? FileManager.default.removeItem(atPath: replay.folder) }
        let (owner, fund) = try #require(CrashMail.funds.first)
        try Data(mail(from: owner, to: fund)).write(to: URL(fileURLWithPath: replay.mail + "/a.eml"))
        #expect(try await replay.replay().status == 0)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: replay.configuration))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\nserver: {listen: \"127.0.0.1:0\"}\n".utf8))
        try file.close()

        // Backfill begins when the server has looked for files, after the half of a second.
        for number in 0..<8 { _ = try await replay.run("serve", killAfter: 0.6 + 0.15 * Double(number)) }
        let last = try replay.program.start(replay.arguments(["serve"]))
        let store = try FundStore.open(at: replay.store, mode: .existing)
        let isDone = try await becomesTrue {
            let status = try await store.previews.status()
            return (status.ready[.thumbnail]?.count ?? 0) + status.failures.values.reduce(0, +) >= Self.count
        }
        #expect(isDone)
        last.signal(SIGTERM)
        let status = try await store.previews.status()
        #expect(status.ready[.thumbnail]?.count == Self.count && status.failures.isEmpty)
        for number in 0..<Self.count {
            let key = RenditionKey(.of(Array(Self.pdf(number).utf8)), .thumbnail)
            guard case .ready(let rendition)? = try await store.previews.state(of: key) else {
                Issue.record("no thumbnail of file \(number)")
                continue
            }
            #expect(try await store.previews.bytes(of: rendition)?.starts(with: Array("RIFF".utf8)) ?? false)
        }
        #expect(try await store.maintenance.verify().isSound)
        try store.close()
        _ = try await last.wait()
        let drafts = try FileManager.default.contentsOfDirectory(atPath: replay.store + "/cache/renditions")
            .filter { $0.hasPrefix("new") }
        #expect(drafts.isEmpty)
    }
}
