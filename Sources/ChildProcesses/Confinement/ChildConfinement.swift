internal import CLinux

/// Confinement of a child that reads what strangers wrote. The child confines itself before it reads any of it.
package struct ChildConfinement: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No file but what is open, and some folders to read (landlock(7)).
    package static let files = ChildConfinement(rawValue: 1)
    /// No network, no other process and no program, and no file for writing (seccomp(2)).
    package static let calls = ChildConfinement(rawValue: 2)
    package static let all: ChildConfinement = [.files, .calls]

    /// Confines the calling thread, and those that it starts, to reading what is in `folders`. Empty where the kernel
    /// cannot, or something forbids it: then the limits alone bound a child, as `doctor` says.
    package static func confineFiles(to folders: [String]) -> ChildConfinement {
        let code = CStrings.with(folders) { paths in
            paths.map { UnsafePointer($0) }.withUnsafeBufferPointer {
                fundmail_confine_files($0.baseAddress, Int32(folders.count))
            }
        }
        return code == 0 ? .files : []
    }

    /// Confines all threads; from now on none can be made.
    package static func confineCalls() -> ChildConfinement { fundmail_confine_calls() == 0 ? .calls : [] }
}
