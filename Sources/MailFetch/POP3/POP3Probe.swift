/// Looks at a POP3 mailbox and changes nothing there.
struct POP3Probe {
    private let access: MailboxAccess
    private let session: POP3Session

    init(_ access: MailboxAccess, on channel: any ByteChannel) {
        self.access = access
        session = POP3Session(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
    }

    func look(_ findings: inout MailboxFindings) throws(FetchError) {
        try session.learnCapabilities()
        findings.capabilities = Set((session.capabilities ?? [:]).keys)
        session.submit("STAT")
        let status = try session.status()
        guard status.isOK, let count = Int(status.text.prefix { $0.isNumber }) else {
            throw FetchError(.commandRefused, during: "STAT", status.text)
        }
        findings.messages = count
        // A server without CAPA does not announce UIDL.
        session.submit("UIDL")
        findings.hasUIDL = try session.status().isOK
        if findings.hasUIDL { try session.lines { _ in } }
        if count > 0, session.has("TOP") {
            for number in stride(from: count, through: max(1, count - MailboxFindings.newestMessages + 1), by: -1) {
                session.submit("TOP \(number) 0")
                guard try session.status().isOK else { continue }
                var header: [UInt8] = []
                try session.lines { line throws(FetchError) in
                    if header.count < MailboxFindings.maxHeaderBytes { header += line + Array("\r\n".utf8) }
                }
                findings.newestHeaders.append(header)
            }
        }
        session.hurry(access.deadlines.farewell)
        session.submit("QUIT")
        _ = try? session.status()
    }
}
