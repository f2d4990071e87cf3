/// The target of a link in a mail, written in one way: as browsers read it (WHATWG URL §4.4), so that the host here is
/// the host there.
package struct LinkTarget: Sendable, Hashable {
    /// Schemes that do nothing but lead somewhere.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, https, mailto, tel
    }

    /// A reason for which a link may mislead about its target.
    package enum Warning: String, Sendable, CaseIterable {
        /// The text of the link names another host.
        case otherHost = "other-host"
        /// A name stands before the host: `https://bank.example@evil.example`.
        case userInfo = "user-info"
        /// A number in the place of a name.
        case address
        /// Letters that may look like others, as such or as punycode (RFC 3492).
        case letters
    }

    /// Longest link that is kept.
    package static let maxBytes = 8192

    package let scheme: Scheme
    /// The whole of it; visible ASCII, but for a host with other letters.
    package let address: String
    /// In lower case, without a port; nil for mail addresses and telephone numbers.
    package let host: String?
    let hasUserInfo: Bool

    /// Nil for other schemes than those of `Scheme`, for addresses without a host, and for those that browsers refuse.
    /// - Parameter text: as it stands in the mail, with character references decoded.
    package init?(_ text: String) {
        // Browsers drop these anywhere, and controls and spaces around it.
        let stripped = text.utf8.filter { $0 != .tab && $0 != .lf && $0 != .cr }
        let isOuter: (UInt8) -> Bool = { $0 <= .space }
        let bytes = Array(stripped.drop(while: isOuter).reversed().drop(while: isOuter).reversed())
        guard bytes.count <= Self.maxBytes else { return nil }
        var rest = bytes[...]
        if Self.isSlash(rest.first), Self.isSlash(rest.dropFirst().first) {
            scheme = .https
        } else {
            guard let colon = bytes.firstIndex(of: .colon), colon <= 6,
                let scheme = Scheme(rawValue: ASCII.lowercased(bytes[..<colon]))
            else { return nil }
            self.scheme = scheme
            rest = bytes[(colon + 1)...]
        }
        switch scheme {
        case .mailto, .tel:
            guard !rest.isEmpty else { return nil }
            (host, hasUserInfo) = (nil, false)
            address = "\(scheme.rawValue):\(Self.encoded(rest))"
        case .http, .https:
            rest = rest.drop { Self.isSlash($0) }
            let authority = rest.prefix { !Self.isSlash($0) && $0 != .questionMark && $0 != UInt8(ascii: "#") }
            rest = rest[authority.endIndex...]
            let at = authority.lastIndex(of: .at)
            let place = at.map { authority[($0 + 1)...] } ?? authority
            guard let (host, port) = Self.host(place) else { return nil }
            let user = at.map { Self.encoded(authority[..<$0], besides: [.at, .slash]) + "@" } ?? ""
            (self.host, hasUserInfo) = (host, at != nil)
            address = "\(scheme.rawValue)://\(user)\(host)\(port)\(Self.encoded(Self.path(rest)))"
        }
        guard address.utf8.count <= Self.maxBytes else { return nil }
    }

    /// The address without a name before its host: no page of news needs one, and it may hold a password.
    package var withoutUserInfo: String {
        guard hasUserInfo, let at = address.firstIndex(of: "@") else { return address }
        return "\(scheme.rawValue)://\(address[address.index(after: at)...])"
    }

    /// Warnings for a reader who sees only the text of the link.
    /// - Parameter shownHost: the host that the text names, if that is another one.
    package func warnings(shownHost: String?) -> [Warning] {
        guard let host else { return [] }
        var found: [Warning] = shownHost == nil ? [] : [.otherHost]
        if hasUserInfo { found.append(.userInfo) }
        let labels = host.split(separator: ".").map { Array($0.utf8) }
        let last = labels.last ?? []
        if host.hasPrefix("[") || last.allSatisfy(ASCII.isDigit) || last.starts(with: Array("0x".utf8)) {
            found.append(.address)
        }
        if labels.contains(where: { label in label.starts(with: Array("xn--".utf8)) || label.contains { $0 >= 0x80 } })
        {
            found.append(.letters)
        }
        return found
    }

    // MARK: Parts

    private static func isSlash(_ byte: UInt8?) -> Bool { byte == .slash || byte == .backslash }

    /// Before a query or a fragment, browsers take `\` for `/`.
    private static func path(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let end = bytes.firstIndex { $0 == .questionMark || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        return bytes[..<end].map { $0 == .backslash ? .slash : $0 } + bytes[end...]
    }

    /// Host and port (with its colon). Nil for a host that browsers refuse (WHATWG URL §3.5), or a port that is none.
    private static func host(_ bytes: ArraySlice<UInt8>) -> (host: String, port: String)? {
        var name = bytes
        var port: ArraySlice<UInt8> = []
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let end = isBracketed ? bytes.firstIndex(of: UInt8(ascii: "]")) : bytes.startIndex
        guard let end else { return nil }
        if let colon = bytes[end...].firstIndex(of: .colon) {
            (name, port) = (bytes[..<colon], bytes[(colon + 1)...])
        }
        guard port.count <= 5, port.allSatisfy(ASCII.isDigit) else { return nil }
        let decoded = PercentCoding.decodedLeniently(name)
        let isAllowed: (UInt8) -> Bool = { byte in
            byte >= 0x80 || ASCII.isAlphanumeric(byte) || "-._".utf8.contains(byte)
        }
        let isHost =
            isBracketed
            ? decoded.count > 2 && decoded.last == UInt8(ascii: "]")
                && decoded.dropFirst().dropLast().allSatisfy { ASCII.hexValue($0) != nil || $0 == .colon || $0 == .dot }
            : decoded.contains { $0 != .dot } && decoded.allSatisfy(isAllowed)
        guard isHost, let text = String(validating: decoded, as: UTF8.self) else { return nil }
        return (text.lowercased(), port.isEmpty ? "" : ":" + String(decoding: port, as: UTF8.self))
    }

    /// Percent-encodes what is not visible ASCII, and what could end a link where it is written.
    private static func encoded(_ bytes: some Sequence<UInt8>, besides more: [UInt8] = []) -> String {
        PercentCoding.encoded(String(decoding: Array(bytes), as: UTF8.self)) { byte in
            ASCII.isVisible(byte) && !"\"<>\\^`{|}".utf8.contains(byte) && !more.contains(byte)
        }
    }
}
