/// Loudness of a sound from its beginning to its end, as pages draw it.
package struct Waveform: Sendable, Hashable {
    /// Parts of a sound, each with its loudest sample.
    package static let maxPeaks = 800

    /// In order, 1 to `maxPeaks` of them: the largest distance from silence within each part, 0 to 127.
    package let peaks: [UInt8]

    /// Nil for what is no waveform.
    package init?(peaks: [UInt8]) {
        guard (1...Self.maxPeaks).contains(peaks.count), peaks.allSatisfy({ $0 <= Int8.max }) else { return nil }
        self.peaks = peaks
    }

    /// The waveform of a whole sound.
    ///
    /// - Parameter samples: of one channel, 8 bits each with a sign. Nil for none.
    package init?(samples: [UInt8]) {
        let (total, count) = (samples.count, min(samples.count, Self.maxPeaks))
        guard count > 0 else { return nil }
        peaks = (0..<count).map { part in
            let loudest = samples[(part * total / count)..<((part + 1) * total / count)].lazy
                .map { Int8(bitPattern: $0).magnitude }.max()
            return min(loudest ?? 0, UInt8(Int8.max))
        }
    }

    /// A drawing in SVG, of numbers alone: one stroke for each bar around the middle, the loudest as high as the
    /// picture. Without a background, in a colour that is seen on light and on dark ones.
    ///
    /// - Parameters:
    ///   - width: in pixels, and so is `height`; who shows it may stretch it.
    ///   - count: of bars, each of them as high as the loudest of its peaks.
    package func drawing(width: Int, height: Int, bars count: Int) -> [UInt8] {
        let bars = (0..<count).map { bar in
            let (first, end) = (bar * peaks.count / count, (bar + 1) * peaks.count / count)
            return peaks[first..<max(end, first + 1)].max() ?? 0
        }
        let (pitch, loudest) = (Double(width) / Double(count), Double(max(bars.max() ?? 0, 1)))
        var strokes = ""
        for (index, bar) in bars.enumerated() {
            let length = max(Double(height - 2) * Double(bar) / loudest, 1)
            strokes +=
                "M\(Self.text(pitch * (Double(index) + 0.5))) \(Self.text((Double(height) - length) / 2))"
                + "v\(Self.text(length))"
        }
        // Strokes that touch each other where there is no room between them.
        let stroke = pitch < 3 ? pitch : pitch * 0.6
        return Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" preserveAspectRatio="none"><path fill="none" stroke="#5f86b3" \
            stroke-width="\(Self.text(stroke))" d="\(strokes)"/></svg>
            """.utf8)
    }

    /// With one digit behind the point: a tenth of a pixel is not seen.
    private static func text(_ length: Double) -> String {
        let tenths = Int((length * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
