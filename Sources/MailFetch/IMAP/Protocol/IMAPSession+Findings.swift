internal import MailConnection

extension IMAPSession {
    func findings(_ access: MailboxAccess) throws(ConnectionError) -> MailboxFindings {
        var findings = MailboxFindings()
        let state = try select(access.address.mailbox, examining: true)
        findings.capabilities = capabilities
        findings.messages = Int(state.exists)
        findings.rights = try rights(in: access.address.mailbox)
        findings.storage = try storage(access.address.mailbox)
        let folders = access.afters.compactMap { if case .move(let folder) = $0 { folder } else { nil } }.sorted()
        if !folders.isEmpty {
            let namespace = try namespace()
            for folder in folders { findings.targets.append(try target(folder, namespace)) }
        }
        if state.exists > 0 {
            let headers = HeaderSink(keepsAll: true)
            sink = headers
            let first = max(1, Int(state.exists) - MailboxFindings.newestMessages + 1)
            // Whole headers: no standard orders chosen fields. A message may have been removed meanwhile.
            if try isDone("FETCH \(first):\(state.exists) (BODY.PEEK[HEADER])") {
                findings.newestHeaders = headers.headers.reversed()
            }
        }
        hurry(access.deadlines.farewell)
        logOut(waitsForAnswer: true)
        return findings
    }

    /// Sends a command and waits for its end. False when the server refuses it.
    private func isDone(
        _ command: String, _ handle: (IMAPResponse) throws(ConnectionError) -> Void = { _ in }
    ) throws(ConnectionError) -> Bool {
        do {
            try run(command, handle)
            return true
        } catch {
            guard error.isRefusal else { throw error }
            return false
        }
    }

    /// RFC 4314 §3.8. Nil when there is no such folder, or the server knows no rights.
    private func rights(in folder: String) throws(ConnectionError) -> MailboxRights? {
        guard has("ACL") else { return nil }
        var found: String?
        _ = try isDone("MYRIGHTS \(IMAPMailboxName.quoted(folder))") { response throws(ConnectionError) in
            if case .rights(let rights) = response { found = rights }
        }
        return found.map { MailboxRights(letters: $0, capabilities: capabilities) }
    }

    /// RFC 2342, RFC 9051 §6.3.10.
    var knowsNamespaces: Bool { has("NAMESPACE") || has("IMAP4REV2") }

    /// The namespace of the user's own folders; without prefix and levels when the server does not say.
    private func namespace() throws(ConnectionError) -> IMAPNamespace {
        guard knowsNamespaces else { return IMAPNamespace() }
        var found: IMAPNamespace?
        _ = try isDone("NAMESPACE") { response throws(ConnectionError) in
            if case .namespace(let namespace) = response { found = namespace }
        }
        return found ?? IMAPNamespace()
    }

    /// Looks at the folder that a run moves to; the rights of a missing one are those of the one above.
    private func target(_ folder: String, _ namespace: IMAPNamespace) throws(ConnectionError) -> MailboxFindings.Target
    {
        let name = namespace.name(of: folder)
        // STATUS is refused for what does not exist (RFC 3501 §6.3.10), and changes nothing.
        let exists = try isDone("STATUS \(IMAPMailboxName.quoted(name)) (MESSAGES)")
        var target = MailboxFindings.Target(name: name, exists: exists)
        for place in exists ? [name] : namespace.parents(of: name) where target.rights == nil {
            target.rights = try rights(in: place)
        }
        return target
    }

    /// RFC 9208 §4.2: the quotas that count for the mailbox; the one with the least room.
    private func storage(_ mailbox: String) throws(ConnectionError) -> (used: UInt64, limit: UInt64)? {
        guard has("QUOTA") else { return nil }
        var found: [IMAPQuota] = []
        _ = try isDone("GETQUOTAROOT \(IMAPMailboxName.quoted(mailbox))") { response throws(ConnectionError) in
            if case .quota(let quota) = response, let storage = quota["STORAGE"] { found.append(storage) }
        }
        func room(_ quota: IMAPQuota) -> UInt64 { quota.limit - min(quota.used, quota.limit) }
        return found.min { room($0) < room($1) }.map { ($0.used, $0.limit) }
    }
}

/// Keeps the beginnings of the headers that a server sends.
final class HeaderSink: IMAPBodySink {
    private(set) var headers: [[UInt8]] = []
    private let keepsAll: Bool

    /// - Parameter keepsAll: all headers, in the order of the server; otherwise only the last.
    init(keepsAll: Bool) { self.keepsAll = keepsAll }

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) {
        if !keepsAll { headers = [] }
        headers.append([])
    }

    func appendBody(_ chunk: UnsafeRawBufferPointer) {
        guard let last = headers.indices.last else { return }
        let room = MailboxFindings.maxHeaderBytes - min(headers[last].count, MailboxFindings.maxHeaderBytes)
        headers[last] += chunk.prefix(room)
    }
}
