internal import Foundation

/// Gives a finished part the name of its destination, so that a process that dies in between neither loses it nor makes
/// it twice: the name is written into the queue before it is taken.
struct Landing: Sendable {
    let part: String
    let destination: String
    let ifTaken: IfTaken

    /// The name that a process which died was about to take, if the part got it.
    /// - Parameter landing: that name.
    func finishBefore(_ landing: String) throws(ClientError) -> Bool {
        guard let there = try LocalFiles.existing(landing) else { return false }
        guard let part = try LocalFiles.existing(part) else {
            // Only after it has the new name the old one goes.
            return true
        }
        guard part.identity == there.identity else { return false }
        try LocalFiles.remove(self.part)
        try LocalFiles.flush(LocalFiles.folder(of: landing))
        return true
    }

    /// Gives it a name.
    /// - Parameter announce: writes down which name is about to be taken.
    /// - Returns: the path.
    /// - Throws: `conflict` when the name is taken, and it may neither replace nor get a number.
    func take(announce: (String) async throws(ClientError) -> Void) async throws(ClientError) -> String {
        let folder = LocalFiles.folder(of: destination)
        let name = LocalFiles.name(of: destination)
        for number in 0..<10_000 {
            let path = "\(folder)/\(NumberedName.name(name, number: number))"
            if ifTaken == .replace {
                guard try LocalFiles.existing(path)?.kind != .folder else {
                    throw ClientError(.conflict, "\(path): there is a folder of that name")
                }
                try await announce(path)
                try LocalFiles.rename(part, replacing: path)
                try LocalFiles.flush(folder)
                return path
            }
            if try LocalFiles.existing(path) == nil {
                try await announce(path)
                do {
                    try LocalFiles.renameExclusively(part, to: path)
                    try LocalFiles.flush(folder)
                    return path
                } catch { guard error.isNameTaken else { throw error } }
            }
            guard ifTaken == .number else { break }
        }
        throw ClientError(.conflict, "\(destination): the name is taken")
    }
}
