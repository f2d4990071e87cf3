import Foundation
import Testing

@testable import MailConnection
@testable import MailFetch

/// Recorded answers of real servers: all of them are read, and those to commands that Fundmail sends are understood.
@Suite(.enabled(if: RecordedTranscripts.exist, "no ../shared/corpora/transcripts")) struct IMAPTranscriptTests {
    /// Its literal is one byte longer than it says: a blank was lost from the recording, or came into it.
    private static let wrongLengths = ["imap/gmail/headers.1+unsolicited-info.txt"]

    private func responses(_ text: [UInt8], pieceBytes: Int = .max) -> (found: [IMAPResponse], error: ConnectionError) {
        let sink = CollectingSink()
        var reader = IMAPResponseReader(bytes: .over(text, pieceBytes: pieceBytes))
        reader.sink = sink
        var found: [IMAPResponse] = []
        do throws(ConnectionError) {
            while true { found.append(try reader.next()) }
        } catch {
            return (found, error)
        }
    }

    @Test(arguments: RecordedTranscripts.paths("imap"))
    func everyRecordedAnswerIsReadToItsEnd(_ path: String) throws {
        let text = try RecordedTranscripts.bytes(path)
        let (found, error) = responses(text)
        if Self.wrongLengths.contains(path) {
            #expect(error.code == .protocolViolation)
            return
        }
        #expect(error.code == .connectionLost, "\(path): \(error)")
        #expect(!found.isEmpty || text.isEmpty)
        #expect(responses(text, pieceBytes: 1).found == found)
        if text.starts(with: "* ".utf8), text.contains(65) {
            #expect(!found.contains { if case .other(let name) = $0 { name.allSatisfy(\.isNumber) } else { false } })
        }
    }

    @Test(arguments: RecordedTranscripts.paths("imap") { $0.contains("capability") && !$0.contains("greeting") })
    func capabilitiesAreUnderstood(_ path: String) throws {
        let names = responses(try RecordedTranscripts.bytes(path)).found.compactMap { response in
            if case .capability(let names) = response { names } else { nil }
        }
        #expect(names.contains { $0.contains { $0.hasPrefix("IMAP4") } })
    }

    @Test(arguments: RecordedTranscripts.paths("imap") { $0.contains("/select-") || $0.contains("/examine-") })
    func selectedMailboxesAreUnderstood(_ path: String) throws {
        let text = try RecordedTranscripts.bytes(path)
        var selecting = IMAPSelecting()
        var state: IMAPMailboxState?
        for response in responses(text).found {
            switch response {
            case .exists(let count): selecting.take(.exists(count))
            case .status(let status): selecting.take(.status(status))
            case .tagged(_, let status): state = try selecting.finish(status, examining: false, during: "SELECT")
            default: break
            }
        }
        let selected = try #require(state)
        let said = String(decoding: text, as: UTF8.self).uppercased()
        #expect(said.contains("UIDVALIDITY \(selected.epoch)]"))
        #expect(said.contains("\(selected.exists) EXISTS"))
        #expect(selected.isReadOnly == said.contains("[READ-ONLY]"))
    }

    @Test(arguments: RecordedTranscripts.paths("imap") { $0.contains("/fetch") })
    func fetchedItemsAreUnderstood(_ path: String) throws {
        let text = String(decoding: try RecordedTranscripts.bytes(path), as: UTF8.self)
        let fetched = responses(Array(text.utf8)).found.compactMap { response in
            if case .fetch(let fetch) = response { fetch } else { nil }
        }
        let starts = text.split(separator: "\r\n").filter { $0.hasPrefix("* ") && $0.contains(" FETCH (") }
        #expect(!fetched.isEmpty)
        #expect(fetched.count <= starts.count)
        for (line, fetch) in zip(starts, fetched) {
            #expect(line.hasPrefix("* \(fetch.sequence) FETCH"))
            if let uid = fetch.uid { #expect(text.contains("UID \(uid)")) }
        }
    }

    @Test(arguments: RecordedTranscripts.paths("imap") { $0.contains("/list-") || $0.contains("/xlist") })
    func foldersAreUnderstood(_ path: String) throws {
        let text = try RecordedTranscripts.bytes(path)
        let folders = responses(text).found.compactMap { response in
            if case .list(let folder) = response { folder } else { nil }
        }
        let lines = String(decoding: text, as: UTF8.self).uppercased().split(separator: "\r\n")
        #expect(
            folders.count == lines.count { line in ["* LIST ", "* LSUB ", "* XLIST "].contains { line.hasPrefix($0) } })
        #expect(folders.allSatisfy { !$0.name.isEmpty || $0.attributes.contains { $0.lowercased() == "\\noselect" } })
    }
}
