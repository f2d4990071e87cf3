internal import Glibc
package import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// The server's certificate and key, read again when the files change: connections made from then on use the new ones.
package final class CertificateSource: Service {
    /// Certificates are renewed days before they are needed.
    private static let checkInterval = Duration.seconds(30)

    private struct Identity {
        var certificateFile: String
        var keyFile: String
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
        var state: [FileState]
    }

    /// What changes when a file is written or replaced.
    private struct FileState: Equatable {
        var inode: UInt64
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    private let logger: Logger
    private let identity: Mutex<Identity>

    /// PEM files: the server's certificate and those between it and its authority; its key. Throws errors of
    /// NIOSSL when they cannot be used.
    package init(certificateFile: String, keyFile: String, logger: Logger) throws {
        self.logger = logger
        identity = Mutex(try Self.load(certificateFile, keyFile))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: Self.checkInterval)) != nil else { return }
                reloadWhenChanged()
            }
        }
    }

    /// Keeps the old ones when the new ones cannot be used: a renewal writes two files, one after the other.
    private func reloadWhenChanged() {
        let known = identity.withLock { $0 }
        guard known.state != Self.state(known.certificateFile, known.keyFile) else { return }
        do { try reload(certificateFile: known.certificateFile, keyFile: known.keyFile) } catch {
            logger.error(
                "the certificate \(known.certificateFile) or its key \(known.keyFile) cannot be used: \(error)")
        }
    }

    /// Reads these files, which may be others than before. Throws errors of NIOSSL when they cannot be used; then the old ones
    /// stay.
    package func reload(certificateFile: String, keyFile: String) throws {
        let fresh = try Self.load(certificateFile, keyFile)
        identity.withLock { $0 = fresh }
        logger.notice("new certificate from \(certificateFile)")
    }

    func configuration() throws -> TLSConfiguration {
        let identity = identity.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.chain, privateKey: identity.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { [weak self] _, promise in
            var override = NIOSSLContextConfigurationOverride()
            if let identity = self?.identity.withLock({ $0 }) {
                override.certificateChain = identity.chain
                override.privateKey = identity.key
            }
            promise.succeed(override)
        }
        return configuration
    }

    private static func load(_ certificateFile: String, _ keyFile: String) throws -> Identity {
        let state = state(certificateFile, keyFile)
        let chain = try NIOSSLCertificate.fromPEMFile(certificateFile)
        let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
        let identity = Identity(
            certificateFile: certificateFile, keyFile: keyFile, chain: chain.map { .certificate($0) },
            key: .privateKey(key), state: state)
        // Finds a key that belongs to another certificate.
        _ = try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: identity.chain, privateKey: identity.key))
        return identity
    }

    private static func state(_ files: String...) -> [FileState] {
        files.map { file in
            var status = stat()
            guard stat(file, &status) == 0 else { return FileState(inode: 0, size: 0, seconds: 0, nanoseconds: 0) }
            return FileState(
                inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec)
        }
    }
}
