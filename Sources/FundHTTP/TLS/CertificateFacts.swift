package import FundCore
internal import NIOSSL

/// A certificate chain and its private key on a disk, as a server or a signer would use them.
package struct CertificateFacts: Sendable, Hashable {
    /// Why they cannot be used.
    package enum Problem: Error, Sendable, Hashable {
        /// The file holds no certificate in PEM.
        case certificate
        /// The file holds no private key in PEM without a passphrase.
        case key
        /// The key does not belong to the first certificate.
        case mismatch
    }

    /// The time from which the first certificate is valid, and the last at which it is (RFC 5280 §4.1.2.5).
    package let validity: ClosedRange<Timestamp>

    /// Reads two PEM files: the certificate chain, whose first certificate is the one of the key, and the key.
    package init(certificateFile: String, keyFile: String) throws(Problem) {
        guard let chain = try? PEMFile.certificates(certificateFile), let first = chain.first else {
            throw .certificate
        }
        guard let key = try? PEMFile.key(keyFile) else { throw .key }
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        guard (try? NIOSSLContext(configuration: configuration)) != nil else { throw .mismatch }
        validity = Self.validity(of: first)
    }

    /// The validity of the first certificate of a PEM file. Throws `certificate`.
    package static func validity(ofFile path: String) throws(Problem) -> ClosedRange<Timestamp> {
        guard let certificate = try? PEMFile.certificates(path).first else { throw .certificate }
        return validity(of: certificate)
    }

    /// The validity of one certificate (RFC 5280 §4.1). Throws `certificate`.
    package static func validity(ofDER bytes: [UInt8]) throws(Problem) -> ClosedRange<Timestamp> {
        guard let certificate = try? NIOSSLCertificate(bytes: bytes, format: .der) else { throw .certificate }
        return validity(of: certificate)
    }

    private static func validity(of certificate: NIOSSLCertificate) -> ClosedRange<Timestamp> {
        let (start, end) = (Timestamp(Int64(certificate.notValidBefore)), Timestamp(Int64(certificate.notValidAfter)))
        return min(start, end)...max(start, end)
    }
}
