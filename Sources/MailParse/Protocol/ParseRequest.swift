internal import ChildProcesses
import FundCore

/// A request of the parent to a child.
struct ParseRequest: Equatable {
    var limits: ParseLimits
    var messageBytes: Int64
    /// In `MessageArea`; nil for a message that comes as a descriptor.
    var place: Int?
    /// The pack still holds what is needed.
    var goesOn = false
    var debug: DebugMarks = []

    /// Switches for tests; a release build ignores them.
    struct DebugMarks: OptionSet {
        let rawValue: UInt8
        /// Go to GMime without the scan before it.
        static let noPrescan = DebugMarks(rawValue: 1)
        /// Act on `X-Fundmail-Poison` (`Poison`).
        static let poison = DebugMarks(rawValue: 2)
    }

    func write(to writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.request)
        writer.i64(limits.maxMessageBytes)
        for limit in [
            limits.maxParts, limits.maxDepth, limits.maxHeaderFields, limits.maxHeaderBytes, limits.maxFieldBytes,
            limits.maxAddressColons, limits.maxBoundaryBytes,
        ] { writer.u32(limit) }
        writer.i64(messageBytes)
        writer.flag(place != nil)
        if let place { writer.u32(place) }
        writer.flag(goesOn)
        writer.u8(debug.rawValue)
        return writer.end()
    }
}

extension ParseRequest {
    /// `body` is the frame behind its count.
    init(body: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = FrameReader(body)
        guard try reader.u8() == Wire.Kind.request.rawValue else { throw FrameError(what: "not a request") }
        var limits = ParseLimits()
        limits.maxMessageBytes = try reader.i64()
        limits.maxParts = try reader.u32()
        limits.maxDepth = try reader.u32()
        limits.maxHeaderFields = try reader.u32()
        limits.maxHeaderBytes = try reader.u32()
        limits.maxFieldBytes = try reader.u32()
        limits.maxAddressColons = try reader.u32()
        limits.maxBoundaryBytes = try reader.u32()
        self.init(
            limits: limits, messageBytes: try reader.i64(), place: try reader.flag() ? try reader.u32() : nil,
            goesOn: try reader.flag(), debug: DebugMarks(rawValue: try reader.u8()))
        guard reader.isAtEnd else { throw FrameError(what: "a request too long") }
    }
}
