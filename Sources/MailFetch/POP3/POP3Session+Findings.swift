internal import MailConnection

extension POP3Session {
    func findings(_ access: MailboxAccess) throws(ConnectionError) -> MailboxFindings {
        var findings = MailboxFindings()
        try learnCapabilities()
        findings.capabilities = Set((capabilities ?? [:]).keys)
        submit("STAT")
        let answer = try status()
        guard answer.isOK, let count = Int(answer.text.prefix { $0.isNumber }) else {
            throw ConnectionError(.commandRefused, during: "STAT", answer.text)
        }
        findings.messages = count
        // A server without CAPA does not announce UIDL.
        submit("UIDL")
        findings.hasUIDL = try status().isOK
        if findings.hasUIDL { try lines { _ in } }
        if count > 0, has("TOP") {
            for number in stride(from: count, through: max(1, count - MailboxFindings.newestMessages + 1), by: -1) {
                submit("TOP \(number) 0")
                guard try status().isOK else { continue }
                var header: [UInt8] = []
                try lines { line throws(ConnectionError) in
                    if header.count < MailboxFindings.maxHeaderBytes { header += line + Array("\r\n".utf8) }
                }
                findings.newestHeaders.append(header)
            }
        }
        hurry(access.deadlines.farewell)
        submit("QUIT")
        _ = try? status()
        return findings
    }
}
