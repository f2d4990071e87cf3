import FundCore

/// Containers that name their content by four letters: ISO base media (ISO/IEC 14496-12) and RIFF.
enum ContainerBrand {
    static func type(of bytes: [UInt8]) -> TrueType? {
        if bytes.has("RIFF") { return riff(bytes) }
        if bytes.has("RF64"), bytes.has("WAVE", at: 8) { return .wav }
        return media(bytes)
    }

    private static func riff(_ bytes: [UInt8]) -> TrueType? {
        if bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has("WAVE", at: 8) { return .wav }
        return bytes.has("AVI ", at: 8) ? .avi : nil
    }

    /// QuickTime without a brand begins with one of these boxes.
    private static let bareBoxes: [StaticString] = ["moov", "mdat", "wide", "pnot"]
    /// Brands of HEIF (ISO/IEC 23008-12), but for those of AVIF.
    private static let heicBrands: Set<String> = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf", "unif",
    ]
    private static let audioBrands: Set<String> = ["M4A ", "M4B ", "M4P "]

    private static func media(_ bytes: [UInt8]) -> TrueType? {
        guard bytes.has("ftyp", at: 4) else {
            guard let size = bytes.big32(at: 0), size == 1 || size >= 8 else { return nil }
            return bareBoxes.contains { bytes.has($0, at: 4) } ? .quicktime : nil
        }
        let brands = brands(bytes)
        guard let major = brands.first else { return nil }
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        if heicBrands.contains(major) { return .heic }
        if major == "qt  " { return .quicktime }
        return audioBrands.contains(major) ? .m4a : .mp4
    }

    /// The major brand, then those with which the file is compatible.
    private static func brands(_ bytes: [UInt8]) -> [String] {
        guard let size = bytes.big32(at: 0) else { return [] }
        let end = min(max(size, 12), 512, bytes.count)
        guard end >= 12 else { return [] }
        let compatible = stride(from: 16, through: end - 4, by: 4)
        return ([8] + compatible).map { String(decoding: bytes[$0..<($0 + 4)], as: UTF8.self) }
    }
}
