/// Sites from which no feed is fetched: hosts with those below them, and numeric addresses in any spelling.
package struct ForbiddenSites: Sendable, Hashable {
    private let names: Set<String>
    private let addresses: Set<IPAddress>

    /// - Parameter hosts: names as `NewsAddress.host` writes them, and numeric addresses.
    package init(_ hosts: some Sequence<String>) {
        let found = hosts.map { (host: $0, address: IPAddress(host: $0)?.translated) }
        addresses = Set(found.compactMap(\.address))
        names = Set(found.lazy.filter { $0.address == nil }.map(\.host))
    }

    /// Whether the host, or one above it, is forbidden.
    package func contains(host: String) -> Bool {
        if let address = IPAddress(host: host) { return contains(address) }
        guard !names.isEmpty else { return false }
        var rest = (DomainName.aLabels(host) ?? host)[...]
        while !names.contains(String(rest)) {
            guard let dot = rest.firstIndex(of: ".") else { return false }
            rest = rest[rest.index(after: dot)...]
        }
        return true
    }

    package func contains(_ address: IPAddress) -> Bool { addresses.contains(address.translated) }
}
