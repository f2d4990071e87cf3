internal import CCurl
internal import Glibc
internal import Synchronization

/// An address of the network with its port, as a socket is connected to it.
package struct DialledAddress: Sendable, Hashable {
    /// Four bytes of IPv4, or sixteen of IPv6.
    package var bytes: [UInt8]
    package var port: UInt16

    package init(bytes: [UInt8], port: UInt16) { (self.bytes, self.port) = (bytes, port) }
}

/// Judges the addresses to which connections are made. It is asked with the address that is really dialled, so that a
/// name that resolves to another address the next time changes nothing.
package final class AddressGuard: Sendable {
    private let isAllowed: @Sendable (DialledAddress) -> Bool
    private let refused = Mutex<DialledAddress?>(nil)

    package init(_ isAllowed: @escaping @Sendable (DialledAddress) -> Bool) { self.isAllowed = isAllowed }

    /// The address that was refused last since this was asked; nil for none.
    package func takeRefusal() -> DialledAddress? {
        refused.withLock { refused in
            defer { refused = nil }
            return refused
        }
    }

    /// - Parameter address: see sockaddr(3type).
    fileprivate func allows(_ address: UnsafeRawBufferPointer) -> Bool {
        guard let dialled = DialledAddress(address) else { return false }
        guard !isAllowed(dialled) else { return true }
        refused.withLock { $0 = dialled }
        return false
    }
}

extension DialledAddress {
    /// Nil for what is neither of IPv4 nor of IPv6.
    fileprivate init?(_ address: UnsafeRawBufferPointer) {
        guard address.count >= 8 else { return nil }
        let family = Int32(address.loadUnaligned(as: sa_family_t.self))
        port = UInt16(bigEndian: address.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        switch family {
        case AF_INET: bytes = Array(address[4..<8])
        case AF_INET6 where address.count >= 24: bytes = Array(address[8..<24])
        default: return nil
        }
    }
}

extension CurlHandle {
    /// Has each address judged before a socket is made for it, and the socket closed for child processes.
    /// - Parameter judge: the observer of the handle keeps it.
    func judgeAddresses(by judge: AddressGuard) throws(ConnectionError) {
        let operation = "setting up the connection"
        let context = Unmanaged.passUnretained(judge).toOpaque()
        try check(fundmail_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context), during: operation)
        let code = fundmail_curl_set_opensocket(easy) { context, _, address in
            guard let context, let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
                return -1
            }
            let judge = Unmanaged<AddressGuard>.fromOpaque(context).takeUnretainedValue()
            let start = UnsafeRawPointer(address).advanced(by: offset)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(address.pointee.addrlen))
            guard judge.allows(bytes) else { return -1 }
            let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
            return socket(address.pointee.family, kind, address.pointee.protocol)
        }
        try check(code, during: operation)
    }
}
