/// The address of a feed, of an item or of a web page: `http` or `https`, written in one way.
package struct NewsAddress: Sendable, Hashable, CustomStringConvertible {
    /// The whole address, without a fragment and without the port that its scheme implies.
    package let text: String
    /// In lower case with A-labels (RFC 5890 §2.3.2.1), without a port and without the brackets of IPv6. A numeric
    /// address stands as `IPAddress` writes it.
    package let host: String
    package let isEncrypted: Bool
    package let port: Int

    package var description: String { text }

    /// Ports at which feeds are fetched: those of web servers and their usual alternatives.
    package static let allowedPorts: Set<Int> = [80, 443, 8080, 8443]
    /// Limit of an address, in bytes.
    package static let maxBytes = 2048

    /// Reads what a person typed or a feed says. A text without a scheme is an `https` address; `feed:` stands for
    /// `https:`, or before another address.
    ///
    /// Nil for other schemes, for one without a host, with a user name, with a port that is none of `allowedPorts`, and
    /// for one that is too long.
    package init?(_ text: String) {
        var text = text.trimmed
        for prefix in ["feed:http:", "feed:https:"] where text.lowercased().hasPrefix(prefix) {
            text = String(text.dropFirst("feed:".count))
        }
        if text.lowercased().hasPrefix("feed:") { text = "https:" + text.dropFirst("feed:".count) }
        if !Self.hasScheme(text) { text = "https://" + text }
        guard let target = LinkTarget(text), let host = target.host, target.scheme == .http || target.scheme == .https,
            !target.hasUserInfo
        else { return nil }
        isEncrypted = target.scheme == .https
        guard let name = Self.name(of: host) else { return nil }
        self.host = name
        var behindHost = target.address.dropFirst("\(target.scheme.rawValue)://\(host)".count).prefix { $0 != "#" }
        let usualPort = isEncrypted ? 443 : 80
        var port = usualPort
        if behindHost.hasPrefix(":") {
            behindHost = behindHost.dropFirst()
            let digits = behindHost.prefix { $0.isASCII && $0.isNumber }
            behindHost = behindHost.dropFirst(digits.count)
            if !digits.isEmpty { port = Int(digits) ?? -1 }
        }
        guard Self.allowedPorts.contains(port) else { return nil }
        self.port = port
        let shownHost = IPAddress.urlHost(name)
        let shownPort = port == usualPort ? "" : ":\(port)"
        let address = "\(target.scheme.rawValue)://\(shownHost)\(shownPort)\(behindHost)"
        guard address.utf8.count <= Self.maxBytes else { return nil }
        self.text = address
    }

    /// A host in the one form that is compared. Nil for what neither names nor numbers a host.
    private static func name(of host: String) -> String? {
        if host.hasPrefix("[") { return IPAddress(host: String(host.dropFirst().dropLast()))?.description }
        guard let name = DomainName.aLabels(host) else { return nil }
        if let address = IPAddress(host: name) { return address.description }
        // Resolvers would take it for a number (WHATWG URL §3.5).
        let last = name.utf8.split(separator: .dot).last ?? []
        return last.allSatisfy(ASCII.isDigit) ? nil : name
    }

    /// The target of a reference that stands in a document at this address (RFC 3986 §5.2).
    package func resolving(_ reference: String) -> NewsAddress? {
        Self.resolved(reference, at: text).flatMap(NewsAddress.init)
    }

    /// A reference as a whole address, whatever its scheme and port.
    /// Takes a time that grows with the two lengths only: a document may have many references.
    /// - Parameter base: a whole address of the form that `LinkTarget` writes.
    package static func resolved(_ reference: String, at base: String) -> String? {
        let reference = reference.trimmed
        if reference.isEmpty { return base }
        if hasScheme(reference) { return reference }
        let (base, target) = (Array(base.utf8), Array(reference.utf8))
        guard let colon = ASCII.firstIndex(of: Array("://".utf8), in: base) else { return nil }
        if target.starts(with: [.slash, .slash]) { return String(decoding: base[...colon] + target, as: UTF8.self) }
        let rest = base[(colon + 3)...]
        let origin = base[..<(rest.firstIndex { $0 == .slash || $0 == .questionMark || $0 == hash } ?? base.count)]
        let behind = base[origin.endIndex...].prefix { $0 != hash }
        let path = behind.prefix { $0 != .questionMark }
        let whole =
            switch target[0] {
            case .slash: origin + normalized(path: target)
            case hash: origin + behind + target
            case .questionMark: origin + (path.isEmpty ? [.slash] : path) + target
            default:
                origin + normalized(path: (path.lastIndex(of: .slash).map { Array(path[...$0]) } ?? [.slash]) + target)
            }
        return String(decoding: whole, as: UTF8.self)
    }

    private static let hash = UInt8(ascii: "#")

    /// A path, which begins with a slash, without `.` and `..` (RFC 3986 §5.2.4); query and fragment stay.
    private static func normalized(path text: [UInt8]) -> [UInt8] {
        let pathEnd = text.firstIndex { $0 == .questionMark || $0 == hash } ?? text.count
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var index = 0
        while index < pathEnd {
            let end = text[(index + 1)..<pathEnd].firstIndex(of: .slash) ?? pathEnd
            let part = text[(index + 1)..<end]
            if part == [.dot] || part == [.dot, .dot] {
                if part.count == 2 { kept.removeSubrange((kept.lastIndex(of: .slash) ?? 0)...) }
                if end == pathEnd { kept.append(.slash) }
            } else {
                kept += text[index..<end]
            }
            index = end
        }
        return kept + text[pathEnd...]
    }

    /// Whether the text begins with a scheme (RFC 3986 §3.1). A host with a port is none.
    private static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        let rest = text.utf8.drop {
            ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == .hyphen || $0 == .dot
        }
        guard rest.first == .colon else { return false }
        let digits = rest.dropFirst().prefix { $0 != .slash }
        return digits.isEmpty || !digits.allSatisfy(ASCII.isDigit)
    }
}
