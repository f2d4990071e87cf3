internal import FundCore
internal import NIOSSL

/// PEM files that a configuration names. A pipe or a device is no such file: reading it might never end.
enum PEMFile {
    /// Bytes of a file: a chain has some thousand.
    private static let maxBytes = 1 << 20

    /// Throws errors of NIOSSL, and `WholeFile.Failure`.
    static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMBytes(try WholeFile.readRegular(path, maxBytes: maxBytes))
    }

    /// Throws errors of NIOSSL, and `WholeFile.Failure`.
    static func key(_ path: String) throws -> NIOSSLPrivateKey {
        try NIOSSLPrivateKey(bytes: try WholeFile.readRegular(path, maxBytes: maxBytes), format: .pem)
    }
}
