import Testing

@testable import MailConnection
@testable import MailFetch

@Suite(.enabled(if: RecordedTranscripts.exist, "no ../shared/corpora/transcripts")) struct POP3TranscriptTests {
    private func session(_ path: String) throws -> POP3Session {
        POP3Session(
            channel: ReplayChannel(try RecordedTranscripts.bytes(path), pieceBytes: 3), deadlines: FetchDeadlines(),
            transcript: nil)
    }

    @Test(arguments: RecordedTranscripts.paths("pop3"))
    func everyRecordedAnswerIsSurvived(_ path: String) throws {
        let session = try session(path)
        do throws(ConnectionError) {
            let status = try session.status()
            #expect(status.isOK || path.contains("err"))
            while true { try session.lines { _ throws(ConnectionError) in } }
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
        try session.lines { line throws(ConnectionError) in lines.append(line) }
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
        try session.lines { line throws(ConnectionError) in lines.append(line) }
        #expect(POP3Listing(uidl: path.contains("uidl") ? lines : [], sizes: lines).entries.count <= lines.count)
    }
}
