internal import FundCore

extension UInt8 {
    /// A C0 control character, or DEL.
    package var isControl: Bool { self < .space || self == .delete }
}
