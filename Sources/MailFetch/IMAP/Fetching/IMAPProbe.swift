/// Looks at an IMAP mailbox and changes nothing there.
struct IMAPProbe {
    private let access: MailboxAccess
    private let session: IMAPSession

    init(_ access: MailboxAccess, on channel: any ByteChannel) {
        self.access = access
        session = IMAPSession(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
    }

    func look(_ findings: inout MailboxFindings) throws(FetchError) {
        let state = try session.select(access.address.mailbox, examining: true)
        findings.capabilities = session.capabilities
        findings.messages = Int(state.exists)
        findings.rights = try rights(in: access.address.mailbox)
        findings.storage = try storage()
        if !folders.isEmpty {
            let namespace = try session.namespace()
            for folder in folders { findings.targets.append(try target(folder, namespace)) }
        }
        if state.exists > 0 {
            let sink = HeaderSink(keepsAll: true)
            session.sink = sink
            let first = max(1, Int(state.exists) - MailboxFindings.newestMessages + 1)
            do {
                // All of it: of chosen fields no standard says in which order they come.
                try session.run("FETCH \(first):\(state.exists) (BODY.PEEK[HEADER])")
                findings.newestHeaders = sink.headers.reversed()
            } catch {
                // A message may have been removed meanwhile.
                guard error.isRefusal else { throw error }
            }
        }
        session.hurry(access.deadlines.farewell)
        session.isLoggingOut = true
        _ = try? session.run("LOGOUT")
    }

    /// RFC 4314 §3.8. Nil when there is no such folder, or the server knows no rights.
    private func rights(in folder: String) throws(FetchError) -> MailboxRights? {
        guard session.has("ACL") else { return nil }
        var found: String?
        do {
            try session.run("MYRIGHTS \(IMAPMailboxName.quoted(folder))") { event throws(FetchError) in
                if case .rights(let rights) = event { found = rights }
            }
        } catch {
            guard error.isRefusal else { throw error }
        }
        return found.map { MailboxRights(letters: $0, capabilities: session.capabilities) }
    }

    /// What a run will find where it moves to. Where the folder is missing, the right to make it is that of the folder
    /// above.
    private func target(
        _ folder: String, _ namespace: IMAPNamespace
    ) throws(FetchError) -> MailboxFindings.Target {
        let name = namespace.name(of: folder)
        var target = MailboxFindings.Target(name: name, exists: try exists(name))
        for place in target.exists ? [name] : namespace.parents(of: name) where target.rights == nil {
            target.rights = try rights(in: place)
        }
        return target
    }

    /// RFC 9208 §4.2: the quotas that count for the mailbox; the one with the least room.
    private func storage() throws(FetchError) -> (used: UInt64, limit: UInt64)? {
        guard session.has("QUOTA") else { return nil }
        var found: [IMAPQuota] = []
        do {
            try session.run("GETQUOTAROOT \(IMAPMailboxName.quoted(access.address.mailbox))") {
                event throws(FetchError) in
                if case .quota(let quota) = event, let storage = quota["STORAGE"] { found.append(storage) }
            }
        } catch {
            guard error.isRefusal else { throw error }
        }
        func room(_ quota: IMAPQuota) -> UInt64 { quota.limit - min(quota.used, quota.limit) }
        return found.min { room($0) < room($1) }.map { ($0.used, $0.limit) }
    }

    private var folders: [String] {
        access.afters.compactMap { if case .move(let folder) = $0 { folder } else { nil } }.sorted()
    }

    /// STATUS is refused for what does not exist (RFC 3501 §6.3.10), and changes nothing.
    private func exists(_ folder: String) throws(FetchError) -> Bool {
        do {
            try session.run("STATUS \(IMAPMailboxName.quoted(folder)) (MESSAGES)")
            return true
        } catch {
            guard error.isRefusal else { throw error }
            return false
        }
    }
}
