extension Duration {
    /// For poll(2): rounded up, within an hour.
    package var pollMilliseconds: Int32 {
        let milliseconds = (self / .milliseconds(1)).rounded(.up)
        return Int32(max(0, min(milliseconds, 3_600_000)))
    }

    /// Whole milliseconds, without the fraction.
    package var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
