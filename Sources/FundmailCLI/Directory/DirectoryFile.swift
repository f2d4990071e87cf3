import FundCore
import Terminal

/// The directory in a vCard file. It is read again when the file changes.
struct DirectoryFile: DirectorySource {
    static let period = Duration.seconds(5)

    let name: String
    private var state: FileState?
    /// The failure to read the file as it is in `state`.
    private var failure: CommandError?
    private var wasRead = false

    init(path: String) { name = path }

    mutating func look() throws -> CompanyDirectory? {
        let state = FileState(name)
        if wasRead, state == self.state {
            if let failure { throw failure }
            return nil
        }
        (self.state, wasRead, failure) = (state, true, nil)
        do {
            // A pipe or a device would keep the thread for good.
            guard state?.isRegular != false else { throw CommandError(.configuration, "it is no regular file") }
            let bytes: [UInt8]
            do { bytes = try WholeFile.readRegular(name, maxBytes: ContactLimits.maxFileBytes) } catch {
                throw CommandError(.configuration, error.problem)
            }
            return try CompanyDirectory(cards: bytes)
        } catch {
            let failure = CommandError(error)
            self.failure = failure
            throw failure
        }
    }
}
