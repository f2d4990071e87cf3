extension MailboxServer {
    /// A mistake in a mailbox URL, in words.
    struct Malformed: Error { var problem: String }

    /// `imaps://user%40corp.example@host[:port]/Folder` (RFC 5092 without its parameters; POP3 likewise, RFC 2384).
    static func parse(_ text: String) throws(Malformed) -> MailboxServer {
        guard let colon = text.range(of: "://") else {
            throw Malformed(problem: "must look like imaps://user@host/INBOX")
        }
        guard let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased()) else {
            throw Malformed(problem: "must begin with imaps://, imap://, pop3s:// or pop3://")
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(authority.count)
        guard let at = authority.lastIndex(of: "@"), at != authority.startIndex else {
            throw Malformed(problem: "names no user; write \(scheme)://user@host, with %40 for an @ in the user")
        }
        let userPart = authority[..<at]
        guard !userPart.contains(":") else {
            throw Malformed(problem: "holds a password; move it to password_file or password_env")
        }
        guard !userPart.contains("@") else { throw Malformed(problem: "has an @ in the user; write it as %40") }
        guard let user = percentDecoded(userPart), !user.isEmpty else {
            throw Malformed(problem: "has a user that cannot be decoded; check the % signs")
        }
        let (host, port) = try hostAndPort(authority[authority.index(after: at)...], scheme)
        var server = MailboxServer(scheme: scheme, user: user, host: host, port: port, folder: nil)
        let folder = path.drop { $0 == "/" }
        guard let name = percentDecoded(folder), !folder.contains(where: { $0 == ";" || $0 == "?" || $0 == "#" }) else {
            throw Malformed(problem: "has a folder that cannot be decoded; write ;, ? and # as %3B, %3F and %23")
        }
        if scheme.isIMAP {
            server.folder = name.isEmpty ? "INBOX" : name
        } else if !name.isEmpty {
            throw Malformed(problem: "names a folder, but POP3 has only one; leave /\(name) out")
        }
        return server
    }

    private static func hostAndPort(_ text: Substring, _ scheme: Scheme) throws(Malformed) -> (String, Int) {
        var host = text
        var portText: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw Malformed(problem: "has an unclosed [ in the host") }
            host = text[text.index(after: text.startIndex)..<end]
            let tail = text[text.index(after: end)...]
            if tail.first == ":" { portText = tail.dropFirst() }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            portText = text[text.index(after: colon)...]
        }
        let allowed: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:".contains($0)) }
        guard !host.isEmpty, host.allSatisfy(allowed) else { throw Malformed(problem: "names no host") }
        guard let portText else { return (String(host), scheme.defaultPort) }
        guard let port = Int(portText), (1...65535).contains(port) else {
            throw Malformed(problem: "has a port that is no number from 1 to 65535")
        }
        return (String(host), port)
    }

    /// RFC 3986 §2.1; nil for a lone `%` or bytes that are no UTF-8, or with controls.
    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(where: { $0 < 32 || $0 == 127 }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The first place of `needle`, without Foundation.
    fileprivate func range(of needle: String) -> Range<Index>? { firstRange(of: needle) }
}
