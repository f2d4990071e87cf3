import FundCore
import FundHTTP

/// The certificates that devices are to trust: those of a private authority alone, never one of a server.
enum ProfileAuthority {
    private static let maxFileBytes = 1 << 20

    /// Certificates of a PEM file as DER. Throws `authority` for a file that cannot be read, has no certificate or one
    /// that is none of X.509, or has a private key in it.
    static func certificates(in path: String) throws(ProfileError) -> [[UInt8]] {
        let bytes: [UInt8]
        do { bytes = try WholeFile.readRegular(path, maxBytes: maxFileBytes) } catch {
            throw ProfileError(.authority, "the authority \(path) cannot be read: \(error.problem)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.contains("PRIVATE KEY-----") else {
            throw ProfileError(
                .authority, "the authority \(path) holds a private key; name a file with its certificate")
        }
        guard let certificates = PEMText(text).binary, !certificates.isEmpty else {
            throw ProfileError(.authority, "the authority \(path) holds no certificate in PEM")
        }
        guard certificates.allSatisfy({ (try? CertificateFacts.validity(ofDER: $0)) != nil }) else {
            throw ProfileError(.authority, "the authority \(path) holds a certificate that cannot be read")
        }
        return certificates
    }
}
