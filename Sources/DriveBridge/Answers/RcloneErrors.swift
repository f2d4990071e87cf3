internal import FundCore

/// Tells the problem of a drive by the messages of rclone.
enum RcloneErrors {
    /// Exit statuses (rclone.org/docs, Exit code).
    private static let folderNotFound: Int32 = 3
    private static let fileNotFound: Int32 = 4

    /// Words of stores and of Go's libraries, in the order in which they count, in lower case.
    private static let words: [(String, DriveProblem)] = [
        ("x509:", .certificate), ("certificate", .certificate), ("tls: handshake failure", .certificate),
        ("tls: ", .certificate),
        ("there's no refresh token", .login), ("expired_access_token", .login), ("invalid_access_token", .login),
        ("invalid 'access_token'", .login), ("log in required", .login), ("invalidauthenticationtoken", .login),
        ("exportsizelimitexceeded", .tooLarge), ("too_many_write_operations", .busy), ("too_many_requests", .busy),
        ("invalid_grant", .login), ("couldn't fetch token", .login), ("invalidaccesskeyid", .login),
        ("signaturedoesnotmatch", .login), ("authenticationfailed", .login), ("authentication failed", .login),
        ("bad_auth_token", .login), ("unauthorized", .login), ("authorization failed", .login),
        ("invalid credentials", .login), ("illegal base64 data", .login), ("unable to log in", .login),
        ("insufficient storage", .full), ("insufficient_space", .full), ("quotaexceeded", .full),
        ("quota exceeded", .full), ("storagequota", .full), ("storage_limit", .full), ("over quota", .full),
        ("no space left", .full), ("too many requests", .busy), ("ratelimit", .busy), ("rate limit", .busy),
        ("slowdown", .busy), ("slow down", .busy), ("service unavailable", .busy), ("server is busy", .busy),
        ("directory not found", .notFound), ("object not found", .notFound),
        ("is a directory or doesn't exist", .notFound),
        ("nosuchbucket", .notFound), ("nosuchkey", .notFound), ("bucket not found", .notFound),
        ("container not found", .notFound), ("already exists", .alreadyExists),
        ("is a directory not a file", .notFound), ("is a file not a directory", .alreadyExists),
        ("accessdenied", .refused), ("access denied", .refused), ("forbidden", .refused),
        ("i/o timeout", .tooSlow), ("deadline exceeded", .tooSlow), ("timeout awaiting", .tooSlow),
        ("handshake timeout", .tooSlow),
        ("client.timeout", .tooSlow), ("file name too long", .name), ("invalid file name", .name),
        ("connection refused", .unreachable), ("connection reset", .unreachable), ("no such host", .unreachable),
        ("bad gateway", .unreachable), ("unexpected eof", .unreachable), (": eof", .unreachable),
        ("network is unreachable", .unreachable), ("broken pipe", .unreachable),
        ("corrupted on transfer", .changed), ("sizes differ", .changed),
        ("can't copy - source file is being updated", .changed),
    ]

    /// Statuses of HTTP, as a store's answer names them: `404 Not Found`.
    private static let statuses: [(Int, DriveProblem)] = [
        (401, .login), (403, .refused), (404, .notFound), (408, .tooSlow), (409, .alreadyExists), (412, .changed),
        (413, .tooLarge), (423, .busy), (429, .busy), (502, .unreachable), (503, .busy), (504, .tooSlow), (507, .full),
    ]

    /// - Parameters:
    ///   - errors: what rclone wrote; nothing of it is passed on but a status.
    ///   - names: names of files in it, which tell nothing about the failure.
    static func error(_ errors: String, status: Int32, besides names: [String]) -> DriveError {
        var text = errors
        for name in names.sorted(by: { $0.utf8.count > $1.utf8.count }) where name.utf8.count > 1 {
            for form in [name, PercentCoding.encoded(name, keeping: PercentCoding.isUnreserved)] {
                text = text.split(separator: form, omittingEmptySubsequences: false).joined(separator: "…")
            }
        }
        text = text.lowercased()
        let code = httpStatus(in: text)
        let detail = code.map { "status \($0)" }
        // Words first: a store that refuses a key or has no room left may say both with 403.
        if let found = words.first(where: { text.contains($0.0) }) { return DriveError(found.1, detail) }
        if let found = statuses.first(where: { $0.0 == code }) { return DriveError(found.1, detail) }
        if status == folderNotFound || status == fileNotFound { return DriveError(.notFound) }
        if code != nil { return DriveError(.server, detail) }
        return status > 128 ? DriveError(.broken, "signal \(status - 128)") : DriveError(.server)
    }

    /// The last status of 400 to 599 that stands alone, with a word behind it. The port of `host:443` does not.
    private static func httpStatus(in text: String) -> Int? {
        let words = text.split(whereSeparator: separators.contains)
        var found: Int?
        for (word, next) in zip(words, words.dropFirst()) {
            guard word.utf8.count == 3, let code = Int(word), (400...599).contains(code),
                let letter = next.utf8.first, ASCII.isLetter(letter), !isPort(word, in: text)
            else { continue }
            found = code
        }
        return found
    }

    /// Whether a host stands before it: a name with a dot or behind `//`, or an address.
    private static func isPort(_ word: Substring, in text: String) -> Bool {
        let before = text[..<word.startIndex]
        guard before.last == ":" else { return false }
        let host = before.dropLast()
        let start = host.lastIndex(where: separators.contains).map(host.index(after:)) ?? host.startIndex
        return host[start...].contains(".") || host[start...].hasPrefix("//") || host.last == "]"
    }

    private static let separators: Set<Character> = [" ", "\n", ":", "(", ")", ","]
}
