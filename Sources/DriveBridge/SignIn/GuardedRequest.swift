internal import Dispatch
internal import FundCore
internal import MailConnection

/// Requests of this process to stores: to a host that it names, by TLS, at an address that was checked and at no other.
struct GuardedRequest: Sendable {
    private static let maxBodyBytes = 256 << 10

    let policy: EgressPolicy
    /// The longest wait for an answer.
    let limit: Duration

    /// Throws `DriveError` where no answer comes. An answer of any status is given; redirections are not followed.
    func answer(
        _ method: String, host: String, _ path: String, fields: [(name: String, value: String)] = [],
        body: String? = nil
    ) async throws -> WebAnswer {
        try await DispatchQueue.runAlone("fundmail.drives.tokens") {
            let endpoints = try policy.limited(to: [host]).endpoints(of: host, EgressPolicy.tlsPort)
            var failure = DriveError(.unreachable, host)
            for endpoint in endpoints {
                do {
                    let request = WebRequest(
                        method, try WebAddress(url: "https://\(host)\(path)"), fields: fields, body: body)
                    return try session(host, endpoint).answer(to: request)
                } catch let error as ConnectionError {
                    failure = Self.failure(error, host)
                    // The request may have been carried out: it is not sent twice.
                    guard error.code == .unreachable else { break }
                }
            }
            throw failure
        }
    }

    private func session(_ host: String, _ endpoint: Endpoint) throws -> WebSession {
        var limits = WebLimits(maxBodyBytes: Self.maxBodyBytes)
        limits.request = limit
        let checked = AddressGuard { $0.bytes == endpoint.address.bytes && $0.port == endpoint.port }
        let address = endpoint.address.bytes.count == 4 ? "\(endpoint.address)" : "[\(endpoint.address)]"
        return try WebSession(
            publicWeb: limits, guardedBy: checked, caFile: nil, moreAuthorities: policy.rules.authorityFile,
            substitutes: ["\(host):\(EgressPolicy.tlsPort):\(address):\(endpoint.port)"],
            cancellation: Cancellation())
    }

    private static func failure(_ error: ConnectionError, _ host: String) -> DriveError {
        switch error.code {
        case .timedOut: DriveError(.tooSlow, host)
        case .certificate, .tlsRequired: DriveError(.certificate, host)
        case .unsupported: DriveError(.server, "\(host): the answer is too long")
        default: DriveError(.unreachable, host)
        }
    }
}
