package import FundCore
internal import Glibc

extension DriveOperations {
    /// `read` into a file, of drives that have no process for it: the calling one appends what `read` gives.
    package func append(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID, to file: any GrowingFile
    ) async throws -> DriveEntry? {
        let (end, begun) = (try file.beginGrowing().descriptor, file.size)
        do {
            let last = try await read(path, from: begun, size: size, of: drive, user) { bytes in
                guard SystemCall.writeAll(bytes, { Glibc.write(end, $0.baseAddress, $0.count) }) else {
                    throw DriveError(.broken, "\(errno)")
                }
                _ = try file.takeGrown()
            }
            try file.endGrowing()
            return last
        } catch {
            try? file.endGrowing()
            throw error
        }
    }

    /// `file`, of drives whose `entry` takes no time.
    package func fileOfEntry(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry? {
        do {
            let entry = try await entry(at: path, of: drive, user)
            return entry.isFolder ? nil : entry
        } catch let error as DriveError where error.problem == .notFound { return nil }
    }
}
