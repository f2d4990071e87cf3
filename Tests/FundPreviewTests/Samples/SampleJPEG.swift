enum SampleJPEG {
    /// A picture with a tag that says how it lies (Exif 2.32, orientation): 6 is a quarter turn to the left.
    static func turned(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        let tag: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        let exif = Array("Exif\0\0II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0] + tag + [0, 0, 0, 0]
        return jpeg[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg[2...]
    }
}
