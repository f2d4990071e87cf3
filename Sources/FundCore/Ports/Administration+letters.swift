extension Administration {
    /// Subject and sender of the mail that each cause is about, or of the letter that a person wrote; nothing for what
    /// is gone.
    package func messages(of causes: some Sequence<OutboxCause>) async throws -> [OutboxCause: AuditNames.Message] {
        let causes = Set(causes)
        var references = AuditReferences()
        for cause in causes {
            switch cause {
            case .filed(let email), .filedLater(let email): references.emails.insert(email)
            case .kept(let misroute): references.misroutes.insert(misroute)
            case .news, .desk, .webhook: break
            case .letter(let letter): references.letters.insert(letter)
            }
        }
        let names = try await auditNames(of: references)
        return causes.reduce(into: [:]) { messages, cause in
            switch cause {
            case .filed(let email), .filedLater(let email): messages[cause] = names.emails[email]
            case .kept(let misroute): messages[cause] = names.misroutes[misroute]
            case .news, .desk, .webhook: break
            case .letter(let letter): messages[cause] = names.letters[letter]
            }
        }
    }
}
