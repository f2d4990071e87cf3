internal import CQREncode

/// A QR code (ISO/IEC 18004), made in this process.
struct QRCode: Equatable, Sendable {
    /// Light modules around it, which readers need (ISO/IEC 18004 §5.3.8).
    static let quietZone = 4

    /// Modules of one side.
    let width: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// In the smallest version that holds the text, with error correction M (15 %): it is read from screens and paper.
    /// Throws `QRCodeError`.
    init(_ text: String) throws(QRCodeError) {
        // The library reads up to a zero.
        guard !text.isEmpty, !text.utf8.contains(0) else { throw .unsuitable }
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { throw .tooLong }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        // Bit 0 is the colour; the others say what the module is for.
        modules = data.map { $0 & 1 == 1 }
    }

    /// Modules of one side with the quiet zone.
    var side: Int { width + 2 * Self.quietZone }

    /// The dark modules as the path of an SVG image of `side` units: one rectangle for each run in a row.
    var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while column < width, modules[row * width + column] { column += 1 }
                if column > start {
                    let length = column - start
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
                } else {
                    column += 1
                }
            }
        }
        return path
    }

    /// For the template `qr`.
    /// - Parameter label: what it leads to, for those who do not see it.
    func model(label: String) -> PageModel { ["side": "\(side)", "path": path, "label": label] }
}

enum QRCodeError: Error {
    /// More than the largest code holds: 2,331 bytes.
    case tooLong
    /// Empty, or with a zero.
    case unsuitable
}
