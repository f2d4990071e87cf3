extension TrustPolicy.AuthservID {
    /// Who wrote an `Authentication-Results` field, by its own words; nil when it cannot be read. For looking at a mailbox: whether
    /// a field counts is decided by its place in the message, too.
    package init?(writing field: String) {
        guard let results = AuthenticationResults(field) else { return nil }
        self = results.authservID.map { .named($0) } ?? .topmostWithoutID
    }

    /// One of these fields, topmost first, is of this server.
    package func occurs(in fields: [String]) -> Bool {
        switch self {
        case .named(let name): fields.contains { Self(writing: $0) == .named(name.lowercased()) }
        case .topmostWithoutID: fields.first.flatMap(Self.init(writing:)) == .topmostWithoutID
        }
    }
}
