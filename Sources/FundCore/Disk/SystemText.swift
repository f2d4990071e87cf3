internal import Glibc

/// Words for errors of the system.
package enum SystemText {
    /// The text of strerror(3).
    ///
    /// - Parameter code: see errno(3).
    package static func of(_ code: Int32) -> String { String(cString: strerror(code)) }
}
