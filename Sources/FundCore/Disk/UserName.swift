package import Glibc

/// Names of the machine's users, for messages.
package enum UserName {
    /// `uid 1234` for one without a name.
    package static func of(_ user: uid_t) -> String {
        // getpwuid(3) keeps its answer in memory that all threads share.
        var (entry, found) = (passwd(), nil as UnsafeMutablePointer<passwd>?)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 * 1024) { buffer in
            guard let text = buffer.baseAddress, getpwuid_r(user, &entry, text, buffer.count, &found) == 0,
                found != nil, let name = entry.pw_name
            else { return "uid \(user)" }
            return String(cString: name)
        }
    }
}
