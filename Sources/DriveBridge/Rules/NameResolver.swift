internal import FundCore
internal import Glibc

/// An address of a host with a port, as connect(2) takes it.
struct Endpoint: Sendable, Hashable {
    var address: IPAddress
    var port: UInt16
}

/// Finds the addresses of hosts.
struct NameResolver: Sendable {
    /// The addresses of a host for a port; empty when it has none.
    var endpoints: @Sendable (_ host: String, _ port: UInt16) -> [Endpoint]

    /// getaddrinfo(3). Blocks.
    static let system = NameResolver { host, port in
        if let address = IPAddress(host: host) { return [Endpoint(address: address, port: port)] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [Endpoint] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            if let address = bytes(of: entry.pointee).flatMap({ IPAddress($0) }) {
                found.append(Endpoint(address: address, port: port))
            }
        }
        return found
    }

    private static func bytes(of entry: addrinfo) -> [UInt8]? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }
}
