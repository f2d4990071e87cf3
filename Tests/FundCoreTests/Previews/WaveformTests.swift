import Testing

@testable import FundCore

@Suite struct WaveformTests {
    @Test func peaksAreTheLoudestOfEachPart() {
        // 1,600 samples: two for each peak. -128 has no positive counterpart.
        var samples = [UInt8](repeating: 0, count: 1600)
        samples[1] = 5
        samples[2] = UInt8(bitPattern: -7)
        samples[1598] = UInt8(bitPattern: -128)
        let waveform = Waveform(samples: samples)
        #expect(waveform?.peaks.count == Waveform.maxPeaks)
        #expect(waveform?.peaks.prefix(3) == [5, 7, 0] && waveform?.peaks.last == 127)
    }

    @Test func soundsOfEveryLengthHavePeaks() {
        #expect(Waveform(samples: []) == nil)
        #expect(Waveform(samples: [3])?.peaks == [3])
        for count in [1, 2, 799, 800, 801, 1599, 4001] {
            // The loudest sample is in exactly one part, wherever it stands.
            for place in [0, count / 2, count - 1] {
                var samples = [UInt8](repeating: 1, count: count)
                samples[place] = 100
                let peaks = Waveform(samples: samples)?.peaks ?? []
                #expect(peaks.count == min(count, Waveform.maxPeaks) && peaks.count { $0 == 100 } == 1, "\(count)")
            }
        }
    }

    @Test(arguments: [[], [128], [255, 0], [UInt8](repeating: 0, count: 801)])
    func whatIsNoWaveformIsRefused(_ peaks: [UInt8]) { #expect(Waveform(peaks: peaks) == nil) }

    @Test func isDrawnByNumbersAlone() throws {
        let waveform = try #require(Waveform(peaks: [0, 50, 100, 0]))
        let drawing = String(decoding: waveform.drawing(width: 40, height: 20, bars: 4), as: UTF8.self)
        #expect(
            drawing == """
                <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20" \
                preserveAspectRatio="none"><path fill="none" stroke="#5f86b3" stroke-width="6" \
                d="M5 9.5v1M15 5.5v9M25 1v18M35 9.5v1"/></svg>
                """)
        // Fewer bars than peaks, and more.
        #expect(String(decoding: waveform.drawing(width: 40, height: 20, bars: 2), as: UTF8.self).contains("M10 5.5v9"))
        #expect(waveform.drawing(width: 40, height: 20, bars: 9).count { $0 == UInt8(ascii: "M") } == 9)
        let silence = try #require(Waveform(peaks: [0]))
        #expect(String(decoding: silence.drawing(width: 8, height: 8, bars: 1), as: UTF8.self).contains("v1\""))
    }
}
