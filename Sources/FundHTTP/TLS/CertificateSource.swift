internal import FundCore
package import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// The server's certificate and key, read again when their files change; later connections use the new ones.
package final class CertificateSource: Service {
    /// Short against the days by which a certificate is renewed before it expires.
    private static let checkInterval = Duration.seconds(30)

    private struct Identity {
        var certificateFile: String
        var keyFile: String
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
        /// State of each file, by which a change is noticed.
        var state: [FileState?]
    }

    private let logger: Logger
    private let identity: Mutex<Identity>

    /// Reads two PEM files: the certificate chain, the server's certificate first, and the private key. Throws errors
    /// of NIOSSL when they cannot be used, and `WholeFile.Failure` when they cannot be read.
    package init(certificateFile: String, keyFile: String, logger: Logger) throws {
        self.logger = logger
        identity = Mutex(try Self.load(certificateFile, keyFile))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: Self.checkInterval)) != nil { reloadWhenChanged() }
        }
    }

    /// Keeps the certificate in use when the new files cannot be used: a renewal writes the two one after the other.
    private func reloadWhenChanged() {
        let known = identity.withLock { $0 }
        guard known.state != Self.state(known.certificateFile, known.keyFile) else { return }
        do { try reload(certificateFile: known.certificateFile, keyFile: known.keyFile) } catch {
            logger.error(
                "the certificate \(known.certificateFile) or its key \(known.keyFile) cannot be used: \(error)")
        }
    }

    /// Reads these files instead. When they cannot be used, throws as `init`, and the certificate in use stays.
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
        let chain = try PEMFile.certificates(certificateFile)
        let key = try PEMFile.key(keyFile)
        let identity = Identity(
            certificateFile: certificateFile, keyFile: keyFile, chain: chain.map { .certificate($0) },
            key: .privateKey(key), state: state)
        // Fails for a key that does not belong to the certificate.
        _ = try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: identity.chain, privateKey: identity.key))
        return identity
    }

    private static func state(_ files: String...) -> [FileState?] { files.map { FileState($0) } }
}
