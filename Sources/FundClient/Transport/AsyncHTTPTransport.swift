internal import AsyncHTTPClient
internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Synchronization

/// `HTTPTransport` by async-http-client: HTTP/2 where the server speaks it, else HTTP/1.1 with connections kept open.
///
/// Bodies go in both directions as fast as the other side takes them. One transport serves many sessions; call
/// `shutdown()` when no more requests are made.
public final class AsyncHTTPTransport: HTTPTransport {
    /// Settings of the connections of a transport.
    public struct Configuration: Sendable, Hashable {
        /// A PEM file with the certificates of the authorities that are trusted, in place of those of the system.
        public var authorityFile: String?
        /// Upper bound of HTTP/1.1 connections to one server; further requests wait. At least 1.
        public var connectionsPerServer: Int
        /// For the connection and the handshake of TLS.
        public var connectTimeout: Duration
        /// For how long an idle connection is kept.
        public var keepAlive: Duration
        /// The longest idle timeout of a request, whatever it asks for; nil for no other bound.
        public var maxIdleTimeout: Duration?
        /// The proxy over which all servers are reached; nil for none.
        public var proxy: ProxyAddress?

        /// Creates a configuration. The defaults trust the system's authorities.
        public init(
            authorityFile: String? = nil, connectionsPerServer: Int = 16, connectTimeout: Duration = .seconds(20),
            keepAlive: Duration = .seconds(30), maxIdleTimeout: Duration? = nil,
            proxy: ProxyAddress? = nil
        ) {
            self.authorityFile = authorityFile
            self.connectionsPerServer = connectionsPerServer
            self.connectTimeout = connectTimeout
            self.keepAlive = keepAlive
            self.maxIdleTimeout = maxIdleTimeout
            self.proxy = proxy
        }
    }

    private static let maxWriteTimeout = Duration.seconds(60)

    private let configuration: HTTPClient.Configuration
    private let maxIdleTimeout: Duration?
    /// One for each idle timeout, which async-http-client has for all requests of a client; nil after the shutdown.
    private let clients = Mutex<[Duration: HTTPClient]?>([:])

    /// Opens no connection yet. Throws a `TransportError` with the code `certificate` when the file of authorities
    /// cannot be read or holds no certificate.
    public init(_ configuration: Configuration = Configuration()) throws(TransportError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = configuration.authorityFile {
            // Read now, so that a mistake is found before the first request.
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            } catch {
                throw TransportError(.certificate, "no certificate can be read from \(file)")
            }
        }
        var client = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        client.connectionPool.idleTimeout = TimeAmount(configuration.keepAlive)
        client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.connectionsPerServer)
        // The caller decides how often it is tried.
        client.connectionPool.retryConnectionEstablishment = false
        client.timeout.connect = TimeAmount(configuration.connectTimeout)
        client.proxy = configuration.proxy.map { proxy in
            let login = proxy.user.map { HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "") }
            return .server(host: proxy.host, port: proxy.port, authorization: login)
        }
        self.configuration = client
        maxIdleTimeout = configuration.maxIdleTimeout
    }

    deinit {
        // async-http-client requires it; it lives until its connections are closed.
        for client in clients.withLock({ $0 ?? [:] }).values { client.shutdown(queue: .global()) { _ in } }
    }

    /// Sends a request, see `HTTPTransport.send`.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let scheme = request.head.scheme, let authority = request.head.authority, let path = request.head.path
        else { throw TransportError(.invalid, "the request has no address") }
        do {
            var sent = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
            sent.method = HTTPMethod(rawValue: request.head.method.rawValue)
            for field in request.head.headerFields { sent.headers.add(name: field.name.rawName, value: field.value) }
            switch request.body {
            case .none: break
            case .bytes(let bytes): sent.body = .bytes(bytes)
            case .stream(let length, let make):
                sent.body = .stream(PieceBuffers(pieces: make()), length: .known(length))
            }
            // The response ends the request; only an idle connection ends it earlier.
            let idleTimeout = min(request.idleTimeout, maxIdleTimeout ?? request.idleTimeout)
            let answer = try await client(idleTimeout).execute(sent, deadline: .distantFuture)
            var head = HTTPResponse(status: HTTPResponse.Status(code: Int(answer.status.code)))
            for (name, value) in answer.headers {
                if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
            }
            return TransportResponse(head, body: Self.body(answer.body))
        } catch {
            throw TransportError(translating: error)
        }
    }

    /// Closes all connections. What is under way ends with an error.
    public func shutdown() async {
        let ended = clients.withLock { clients in
            defer { clients = nil }
            return clients ?? [:]
        }
        for client in ended.values { try? await client.shutdown() }
    }

    private func client(_ idleTimeout: Duration) throws(TransportError) -> HTTPClient {
        let client: HTTPClient? = clients.withLock { clients in
            guard clients != nil else { return nil }
            if let client = clients?[idleTimeout] { return client }
            var configuration = configuration
            configuration.timeout.read = TimeAmount(idleTimeout)
            // A peer that takes no bytes for so long is gone; only an answer may take more time.
            configuration.timeout.write = TimeAmount(min(idleTimeout, Self.maxWriteTimeout))
            let client = HTTPClient(configuration: configuration)
            clients?[idleTimeout] = client
            return client
        }
        guard let client else { throw TransportError(.cancelled, "the transport was shut down") }
        return client
    }

    private static func body(_ body: HTTPClientResponse.Body) -> ResponseBody {
        ResponseBody {
            var pieces = body.makeAsyncIterator()
            return {
                do {
                    if let piece = try await pieces.next() { return Array(piece.readableBytesView) }
                } catch {
                    throw TransportError(translating: error)
                }
                // A cancelled read must not be taken for the end of the body.
                guard !Task.isCancelled else { throw TransportError(.cancelled, "the task was cancelled") }
                return nil
            }
        }
    }
}

/// Pieces of a body as async-http-client takes them.
private struct PieceBuffers: AsyncSequence, Sendable {
    let pieces: AsyncThrowingStream<[UInt8], any Error>

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator

        mutating func next() async throws -> ByteBuffer? { try await pieces.next().map { ByteBuffer(bytes: $0) } }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
