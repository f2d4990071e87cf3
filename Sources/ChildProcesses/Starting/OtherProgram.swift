internal import Glibc

/// Another program in the place of this one.
package enum OtherProgram {
    /// Runs a program in this process (execve(2)), which keeps its number and its open descriptors. Returns only when
    /// it fails, with an error of errno(3).
    ///
    /// - Parameters:
    ///   - words: its path and arguments.
    ///   - variables: the whole environment, as `NAME=value`.
    package static func become(_ words: [String], variables: [String]) -> Int32 {
        CStrings.with(words) { words in
            CStrings.with(variables) { variables in
                guard let path = words[0] else { return EINVAL }
                execve(path, words, variables)
                return errno
            }
        }
    }
}
