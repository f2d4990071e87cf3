import Foundation
import Testing

@testable import MailFetch

/// What real servers said, recorded by others: read whole, and the answers to the commands that we send understood.
@Suite(.enabled(if: RecordedTranscripts.exist, "no ../shared/corpora/transcripts")) struct IMAPTranscriptTests {
    /// Its literal is one byte longer than it says: a blank was lost from the recording, or came into it.
    private static let wrongLengths = ["imap/gmail/headers.1+unsolicited-info.txt"]

    private func responses(_ text: [UInt8], pieceBytes: Int = .max) -> (found: [IMAPResponse], error: FetchError) {
        let sink = CollectingSink()
        var reader = IMAPResponseReader(bytes: .over(text, pieceBytes: pieceBytes))
        reader.sink = sink
        var found: [IMAPResponse] = []
        do throws(FetchError) {
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

@Suite(.enabled(if: RecordedTranscripts.exist, "no ../shared/corpora/transcripts")) struct POP3TranscriptTests {
    private func session(_ path: String) throws -> POP3Session {
        POP3Session(
            channel: ReplayChannel(try RecordedTranscripts.bytes(path), pieceBytes: 3), deadlines: FetchDeadlines(),
            transcript: nil)
    }

    @Test(arguments: RecordedTranscripts.paths("pop3"))
    func everyRecordedAnswerIsSurvived(_ path: String) throws {
        let session = try session(path)
        do throws(FetchError) {
            let status = try session.status()
            #expect(status.isOK || path.contains("err"))
            while true { try session.lines { _ throws(FetchError) in } }
        } catch {
            // `+ ` asks for more, which nothing that we send allows.
            #expect(error.code == (path.hasSuffix("/plus.txt") ? .protocolViolation : .connectionLost))
        }
    }

    @Test(arguments: RecordedTranscripts.paths("pop3") { $0.contains("/capa") })
    func capabilitiesAreUnderstood(_ path: String) throws {
        let session = try session(path)
        try session.learnCapabilities()
        #expect(session.has("UIDL"))
    }

    @Test(arguments: RecordedTranscripts.paths("pop3") { $0.hasSuffix("/uidl.txt") || $0.hasSuffix("/list.txt") })
    func listingsAreUnderstood(_ path: String) throws {
        let session = try session(path)
        #expect(try session.status().isOK)
        var lines: [[UInt8]] = []
        try session.lines { line throws(FetchError) in lines.append(line) }
        let isUIDL = path.hasSuffix("/uidl.txt")
        let listing = POP3Listing(uidl: isUIDL ? lines : [], sizes: isUIDL ? [] : lines)
        #expect(listing.entries.count == lines.count && !lines.isEmpty)
        #expect(listing.entries.allSatisfy { isUIDL ? $0.uidl != nil : $0.size != nil })
    }

    @Test(arguments: RecordedTranscripts.paths("pop3") { $0.contains("/uidl-error") || $0.contains("/list-error") })
    func brokenListingsAreSurvived(_ path: String) throws {
        let session = try session(path)
        #expect(try session.status().isOK)
        var lines: [[UInt8]] = []
        try session.lines { line throws(FetchError) in lines.append(line) }
        #expect(POP3Listing(uidl: path.contains("uidl") ? lines : [], sizes: lines).entries.count <= lines.count)
    }
}

enum RecordedTranscripts {
    private static let root: String = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appending(path: "shared/corpora/transcripts").path
    }()

    static var exist: Bool { FileManager.default.fileExists(atPath: root) }

    /// Below `folder`, relative to the root, sorted. The recordings of whole messages without an answer around them are left out.
    static func paths(_ folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".txt") }.map { "\(folder)/\($0)" }.filter(isWanted).sorted()
    }

    /// With CRLF, as on the wire; the recordings were stored with LF, their literals' lengths were not touched.
    static func bytes(_ path: String) throws -> [UInt8] {
        let stored = Array(try Data(contentsOf: URL(filePath: "\(root)/\(path)")))
        return stored.contains(13) ? stored : stored.flatMap { $0 == 10 ? [13, 10] : [$0] }
    }
}
