import CLinux
internal import Glibc

/// What a child cannot reach any more, whatever a message makes of it. It takes this from itself before it reads one.
package struct ChildConfinement: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No file of anybody, but what it has open and converters of character sets (landlock(7)).
    package static let files = ChildConfinement(rawValue: 1)
    /// No network, no other process and no program, and no file for writing (seccomp(2)).
    package static let calls = ChildConfinement(rawValue: 2)
    package static let all: ChildConfinement = [.files, .calls]

    /// Where iconv(3) has the converters that it loads when a message needs one: on Debian, and elsewhere.
    private static let converters = [
        "/usr/lib/x86_64-linux-gnu/gconv", "/usr/lib/aarch64-linux-gnu/gconv", "/usr/lib64/gconv", "/usr/lib/gconv",
    ]

    /// For the calling thread and those that it starts. Empty where the kernel cannot, or something forbids it: then
    /// the limits alone bound a child, as `doctor` says.
    static func confineFiles() -> ChildConfinement {
        let paths = converters.map { strdup($0) }
        defer { paths.forEach { free($0) } }
        return paths.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            fundmail_confine_files($0.baseAddress, Int32($0.count)) == 0 ? .files : []
        }
    }

    /// For all threads; from now on none can be made.
    static func confineCalls() -> ChildConfinement { fundmail_confine_calls() == 0 ? .calls : [] }
}
