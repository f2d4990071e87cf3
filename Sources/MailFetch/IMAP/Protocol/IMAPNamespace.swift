/// The server's names of a user's own folders (RFC 2342 §5): Courier and Cyrus put `INBOX.` in front of all of them,
/// and refuse other names.
struct IMAPNamespace: Equatable {
    /// Stands in front of every name; empty where none is needed.
    var prefix = ""
    /// Between the levels of a name; nil where there are no levels.
    var delimiter: String?

    /// The server's name of a folder that the configuration names with `/` between levels, made as mbsync makes it. A
    /// name that begins with the prefix is complete.
    func name(of folder: String) -> String {
        if folder.uppercased() == "INBOX" { return "INBOX" }
        let name = delimiter.map { folder.split(separator: "/").joined(separator: $0) } ?? folder
        return name.lowercased().hasPrefix(prefix.lowercased()) ? name : prefix + name
    }

    /// The folders above one, the nearest first.
    func parents(of name: String) -> [String] {
        guard let delimiter, !delimiter.isEmpty else { return [] }
        var levels = name.split(separator: delimiter, omittingEmptySubsequences: false).dropLast()
        var parents: [String] = []
        while !levels.isEmpty {
            parents.append(levels.joined(separator: delimiter))
            levels = levels.dropLast()
        }
        return parents
    }
}

extension IMAPSession {
    /// RFC 2342, RFC 9051 §6.3.10.
    var knowsNamespaces: Bool { has("NAMESPACE") || has("IMAP4REV2") }

    /// The namespace of the user's own folders; without prefix and levels when the server does not say.
    func namespace(_ handle: (Event) throws(FetchError) -> Void = { _ in }) throws(FetchError) -> IMAPNamespace {
        guard knowsNamespaces else { return IMAPNamespace() }
        var found: IMAPNamespace?
        do throws(FetchError) {
            try run("NAMESPACE") { event throws(FetchError) in
                if case .namespace(let namespace) = event { found = namespace } else { try handle(event) }
            }
        } catch {
            guard error.isRefusal else { throw error }
        }
        return found ?? IMAPNamespace()
    }
}
