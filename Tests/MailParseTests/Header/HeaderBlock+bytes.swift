import TestSupport
import FundCore

@testable import MailParse

extension HeaderBlock {
    /// Reads a header up to its first empty line.
    init(_ bytes: some Collection<UInt8>) {
        self.init()
        for line in bytes.split(separator: .lf, omittingEmptySubsequences: false) {
            if line.isEmpty || line.elementsEqual([.cr]) { break }
            Array(line).withUnsafeBytes { append($0) }
        }
        finish()
    }
}
