internal import Dispatch
internal import FundCore

/// Looks at a mailbox as a run would, and changes nothing there: EXAMINE instead of SELECT, no DELE, nothing marked as read.
package struct MailboxProbe: Sendable {
    /// As many show how a server marks its mail, and cost one round trip.
    private static let newestMessages = 10

    private var access: MailboxAccess

    package init(_ access: MailboxAccess) {
        self.access = access
        // Somebody sits there and waits.
        self.access.deadlines.loginResponse = .seconds(20)
        self.access.deadlines.login = .seconds(45)
        self.access.deadlines.stall = .seconds(20)
        self.access.deadlines.response = .seconds(20)
        self.access.deadlines.farewell = .seconds(3)
    }

    /// Throws what a run would fail with. Takes `limit` at most.
    package func run(limit: Duration = .seconds(60)) async throws(FetchError) -> MailboxFindings {
        let queue = DispatchQueue(label: "fundmail.probe.\(access.name)")
        let cancellation = Cancellation()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit.milliseconds)) {
            cancellation.cancel()
        }
        let result = await queue.run { look(cancellation) }
        do {
            return try result.get()
        } catch {
            guard error.code == .cancelled else { throw error }
            throw FetchError(.timedOut, during: error.operation, "the server takes too long")
        }
    }

    private func look(_ cancellation: Cancellation) -> Result<MailboxFindings, FetchError> {
        let login = CurlLogin(
            address: access.address, credentials: access.credentials, tls: access.tls, deadlines: access.deadlines,
            cancellation: cancellation, transcript: access.transcript, keepsCertificate: true)
        do {
            let channel = try login.open()
            var findings = MailboxFindings()
            findings.certificateExpiresAt = channel.certificateExpiry
            if access.address.scheme.isIMAP {
                try look(
                    IMAPSession(channel: channel, deadlines: access.deadlines, transcript: access.transcript), &findings
                )
            } else {
                try look(
                    POP3Session(channel: channel, deadlines: access.deadlines, transcript: access.transcript), &findings
                )
            }
            return .success(findings)
        } catch {
            return .failure(error)
        }
    }

    // MARK: IMAP

    private func look(_ session: IMAPSession, _ findings: inout MailboxFindings) throws(FetchError) {
        let state = try session.select(access.address.mailbox, examining: true)
        findings.capabilities = session.capabilities
        findings.messages = Int(state.exists)
        findings.rights = try rights(in: access.address.mailbox, session)
        findings.storage = try storage(session)
        if !folders.isEmpty {
            let namespace = try session.namespace()
            for folder in folders { findings.targets.append(try target(folder, namespace, session)) }
        }
        if state.exists > 0 {
            let sink = HeaderBeginnings()
            session.sink = sink
            let first = max(1, Int(state.exists) - Self.newestMessages + 1)
            do {
                // All of it: of chosen fields no standard says in which order they come.
                try session.run("FETCH \(first):\(state.exists) (BODY.PEEK[HEADER])")
                findings.newestHeaders = sink.headers.reversed()
            } catch {
                // Somebody may have taken it away meanwhile.
                guard error.isRefusal else { throw error }
            }
        }
        session.hurry(access.deadlines.farewell)
        session.isLoggingOut = true
        _ = try? session.run("LOGOUT")
    }

    /// RFC 4314 §3.8. Nil when there is no such folder, or the server knows no rights.
    private func rights(in folder: String, _ session: IMAPSession) throws(FetchError) -> MailboxRights? {
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

    /// What a run will find where it moves to. Where the folder is missing, the right to make it is that of the folder above.
    private func target(
        _ folder: String, _ namespace: IMAPNamespace, _ session: IMAPSession
    ) throws(FetchError) -> MailboxFindings.Target {
        let name = namespace.name(of: folder)
        var target = MailboxFindings.Target(name: name, exists: try exists(name, session))
        for place in target.exists ? [name] : namespace.parents(of: name) where target.rights == nil {
            target.rights = try rights(in: place, session)
        }
        return target
    }

    /// RFC 9208 §4.2: the quotas that count for the mailbox; the one with the least room.
    private func storage(_ session: IMAPSession) throws(FetchError) -> (used: UInt64, limit: UInt64)? {
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
    private func exists(_ folder: String, _ session: IMAPSession) throws(FetchError) -> Bool {
        do {
            try session.run("STATUS \(IMAPMailboxName.quoted(folder)) (MESSAGES)")
            return true
        } catch {
            guard error.isRefusal else { throw error }
            return false
        }
    }

    // MARK: POP3

    private func look(_ session: POP3Session, _ findings: inout MailboxFindings) throws(FetchError) {
        try session.learnCapabilities()
        findings.capabilities = Set((session.capabilities ?? [:]).keys)
        session.submit("STAT")
        let status = try session.status()
        guard status.isOK, let count = Int(status.text.prefix { $0.isNumber }) else {
            throw FetchError(.commandRefused, during: "STAT", status.text)
        }
        findings.messages = count
        // Asked, since a server without CAPA does not tell that it knows it.
        session.submit("UIDL")
        findings.hasUIDL = try session.status().isOK
        if findings.hasUIDL { try session.lines { _ in } }
        if count > 0, session.has("TOP") {
            for number in stride(from: count, through: max(1, count - Self.newestMessages + 1), by: -1) {
                session.submit("TOP \(number) 0")
                guard try session.status().isOK else { continue }
                var header: [UInt8] = []
                try session.lines { line throws(FetchError) in
                    if header.count < HeaderBeginning.maxBytes { header += line + [13, 10] }
                }
                findings.newestHeaders.append(header)
            }
        }
        session.hurry(access.deadlines.farewell)
        session.submit("QUIT")
        _ = try? session.status()
    }
}
