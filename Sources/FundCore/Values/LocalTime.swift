internal import Glibc

/// The time zone of this machine, as the C library knows it.
package enum LocalTime {
    /// Seconds by which its clocks are ahead of UTC at a time; 0 for a time that the C library cannot split.
    package static func offset(at time: Timestamp) -> Int {
        var (seconds, fields) = (time_t(time.rawValue), tm())
        return localtime_r(&seconds, &fields) == nil ? 0 : fields.tm_gmtoff
    }
}
