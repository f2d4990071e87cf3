import Testing

@testable import FundPreview

@Suite struct PressureMeterTests {
    @Test func saysWhatWasSinceTheLastTime() {
        var meter = PressureMeter()
        let start = ContinuousClock.now
        #expect(meter.percent(.seconds(5), at: start) == 0)
        #expect(meter.percent(.milliseconds(5100), at: start + .milliseconds(200)) == 50)
        // Too soon: what is known.
        #expect(meter.percent(.seconds(9), at: start + .milliseconds(250)) == 50)
        #expect(meter.percent(.milliseconds(5100), at: start + .milliseconds(1200)) == 0)
    }

    @Test func readsWhatTheKernelSays() {
        let text = "some avg10=1.66 avg60=6.41 avg300=8.61 total=16596\nfull avg10=0.00 avg60=0.00 total=0\n"
        #expect(Pressure.percent(text) == 1.66)
        #expect(Pressure.waited(text) == .microseconds(16_596))
        #expect(Pressure.percent("") == 0 && Pressure.waited("") == .zero)
    }
}
