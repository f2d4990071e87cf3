/// A kind of picture that mail shows, by its first bytes: what a mail says of its type is not believed.
enum PictureType: String, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"

    static let signatureBytes = 32

    /// - Parameter bytes: the first ones of the file, `signatureBytes` if it has so many.
    init?(of bytes: [UInt8]) {
        func has(_ signature: [UInt8], at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: signature) }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has(Array("GIF87a".utf8)) || has(Array("GIF89a".utf8)) {
            self = .gif
        } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if has(Array("ftyp".utf8), at: 4),
            stride(from: 8, to: 32, by: 4).contains(where: { has(Array("avif".utf8), at: $0) })
        {
            self = .avif
        } else {
            return nil
        }
    }
}
