import FundCore

/// MPEG audio (ISO/IEC 11172-3), which has no header of its own but begins with tags or with a frame.
enum AudioFrame {
    static func type(of bytes: [UInt8]) -> TrueType? {
        if bytes.has("ID3"), bytes.count > 10, bytes[3] < 0xFF, bytes[6..<10].allSatisfy({ $0 < 0x80 }) { return .mp3 }
        guard let length = frameBytes(bytes, at: 0) else { return nil }
        // One frame may be chance; the next one must stand where it ends, unless the file does.
        return bytes.count == length || frameBytes(bytes, at: length) != nil ? .mp3 : nil
    }

    /// Kilobits each second of layer III, by the index in the header; MPEG-1, then MPEG-2 and 2.5.
    private static let rates = [
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
    /// Samples each second of MPEG-1.
    private static let samples = [44100, 48000, 32000]

    /// The bytes of the frame of layer III that begins there; nil when none does.
    private static func frameBytes(_ bytes: [UInt8], at start: Int) -> Int? {
        guard let header = bytes.big32(at: start), header >> 21 == 0x7FF else { return nil }
        let (version, layer) = (header >> 19 & 3, header >> 17 & 3)
        let (rate, sample) = (header >> 12 & 15, header >> 10 & 3)
        guard version != 1, layer == 1, (1...14).contains(rate), sample < 3 else { return nil }
        let isFirst = version == 3
        let perSecond = samples[sample] / (isFirst ? 1 : version == 2 ? 2 : 4)
        let bits = rates[isFirst ? 0 : 1][rate] * 1000
        return (isFirst ? 144 : 72) * bits / perSecond + (header >> 9 & 1)
    }
}
