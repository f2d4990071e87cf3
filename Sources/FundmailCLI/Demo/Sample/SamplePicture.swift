internal import CZlib

/// A picture of a hall on a pier at sunset, with panels on its roof, drawn pixel by pixel: a PNG (RFC 2083).
enum SamplePicture {
    static let (width, height) = (480, 320)

    private typealias Colour = SIMD3<Double>
    private static let sky = (high: Colour(0.17, 0.28, 0.47), low: Colour(0.98, 0.72, 0.47))
    private static let water = (far: Colour(0.62, 0.50, 0.46), near: Colour(0.07, 0.17, 0.27))
    private static let horizon = 0.58
    private static let sun = (x: 0.76, y: 0.47, radius: 0.055)

    /// The whole file; empty where zlib cannot pack it, which has no memory then.
    static let bytes: [UInt8] = {
        var rows: [UInt8] = []
        rows.reserveCapacity(height * (3 * width + 1))
        var above = [UInt8](repeating: 0, count: 3 * width)
        for row in 0..<height {
            var line: [UInt8] = []
            line.reserveCapacity(3 * width)
            for column in 0..<width {
                let colour = colour(Double(column) / Double(width), Double(row) / Double(height))
                for channel in 0..<3 { line.append(UInt8(min(max(colour[channel], 0), 1) * 255)) }
            }
            // Filter 2 (RFC 2083 §6.4): each byte less the one above it.
            rows.append(2)
            rows += zip(line, above).map { $0 &- $1 }
            above = line
        }
        var length = compressBound(UInt(rows.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        guard compress2(&packed, &length, rows, UInt(rows.count), 9) == Z_OK else { return [] }
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", Array(packed.prefix(Int(length)))) + chunk("IEND", [])
    }()

    /// RFC 2083 §3.2: length, type, content, and a checksum of the last two.
    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return bigEndian(UInt32(content.count)) + checked
            + bigEndian(UInt32(crc32(0, checked, UInt32(checked.count))))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    // MARK: The view

    /// The colour of a point, whose coordinates are 0...1 from the upper left corner.
    private static func colour(_ x: Double, _ y: Double) -> Colour {
        if let hall = hall(x, y) { return hall }
        guard y >= horizon else { return heaven(x, y) }
        // Waves bend what the water shows, the more the nearer they are.
        let depth = (y - horizon) / (1 - horizon)
        let shift = wave(y * 60 + wave(x * 9 + y * 31) * 2) * 0.006 * (0.4 + depth)
        let mirrored = heaven(x + shift * 3, 2 * horizon - y + shift)
        let base = mix(water.far, water.near, depth)
        let shine = exp(-pow2((x + shift * 6 - sun.x) / (0.03 + depth * 0.06))) * (0.55 - 0.35 * depth)
        return mix(mix(base, mirrored, 0.35), Colour(1, 0.86, 0.6), shine)
    }

    private static func heaven(_ x: Double, _ y: Double) -> Colour {
        let base = mix(sky.high, sky.low, pow2(min(max(y / horizon, 0), 1)))
        let distance = ((x - sun.x) * (x - sun.x) * 2.25 + (y - sun.y) * (y - sun.y)).squareRoot()
        let glow = mix(base, Colour(1, 0.87, 0.62), exp(-distance * 5) * 0.7)
        let disc = min(max((sun.radius - distance) * 200, 0), 1)
        return mix(glow, Colour(1, 0.96, 0.84), disc)
    }

    /// The hall and the pier below it; nil beside them.
    private static func hall(_ x: Double, _ y: Double) -> Colour? {
        let (left, right, eaves, floor) = (0.06, 0.60, 0.44, 0.64)
        if (left - 0.03...right + 0.07).contains(x), (floor..<floor + 0.035).contains(y) {
            return Colour(0.20, 0.17, 0.17)
        }
        // Piles of the pier.
        if (left - 0.02...right + 0.06).contains(x), (floor..<floor + 0.12).contains(y) {
            return (x * 16).truncatingRemainder(dividingBy: 1) < 0.16 ? Colour(0.13, 0.12, 0.13) : nil
        }
        guard (left...right).contains(x), y < floor else { return nil }
        // Roofs like the teeth of a saw: glass on the steep side, panels on the other.
        let tooth = (x - left) / (right - left) * 5
        let part = tooth.truncatingRemainder(dividingBy: 1)
        let ridge = eaves - 0.11 * (part < 0.16 ? part / 0.16 : (1 - part) / 0.84)
        guard y >= ridge else { return nil }
        if y < eaves {
            if part < 0.16 { return mix(Colour(0.95, 0.78, 0.55), Colour(0.45, 0.52, 0.6), y * 2 - 0.3) }
            let isSeam = (part * 14).truncatingRemainder(dividingBy: 1) < 0.12 || abs(y - ridge) < 0.008
            return isSeam ? Colour(0.55, 0.60, 0.67) : mix(Colour(0.10, 0.16, 0.33), Colour(0.2, 0.3, 0.5), part)
        }
        let isWindow = (0.47..<0.53).contains(y) && (x * 40).truncatingRemainder(dividingBy: 1) < 0.6
        if isWindow { return mix(Colour(0.99, 0.80, 0.48), Colour(0.8, 0.55, 0.36), (y - 0.47) * 12) }
        let isDoor = (0.55...floor).contains(y) && (0.30..<0.38).contains(x)
        if isDoor { return Colour(0.24, 0.20, 0.22) }
        return mix(Colour(0.50, 0.29, 0.25), Colour(0.36, 0.21, 0.21), (y - eaves) * 5)
    }

    private static func mix(_ first: Colour, _ second: Colour, _ share: Double) -> Colour {
        first + (second - first) * min(max(share, 0), 1)
    }

    private static func pow2(_ value: Double) -> Double { value * value }

    /// A sine of sorts, -1...1 with a period of 2, whose arithmetic gives the same on every machine.
    private static func wave(_ value: Double) -> Double {
        let phase = value - 2 * (value / 2).rounded(.down)
        return phase < 1 ? 4 * phase * (1 - phase) : -4 * (phase - 1) * (2 - phase)
    }

    /// e to the power of a value that is not greater than 0, near enough for a glow.
    private static func exp(_ value: Double) -> Double {
        let base = 1 + value / 64
        guard base > 0 else { return 0 }
        return (0..<6).reduce(base) { power, _ in power * power }
    }
}
