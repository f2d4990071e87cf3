/// When the names of each local folder were read: by that it shows whether something was moved meanwhile, from a folder
/// that had not been read yet into one that had. Paths lie in one array of names.
struct FolderTimes {
    private var parents: [Int32] = []
    private var nameStarts: [UInt32] = []
    private var names: [UInt8] = []
    private var times: [Int64] = []

    /// Gives the number by which the folders in it name it.
    /// - Parameters:
    ///   - parent: nil for the kept folder.
    ///   - modified: nanoseconds since 1970.
    mutating func add(_ name: String, in parent: Int?, modified: Int64) -> Int {
        parents.append(parent.map { Int32($0) } ?? -1)
        nameStarts.append(UInt32(names.count))
        names += name.utf8
        times.append(modified)
        return times.count - 1
    }

    /// Whether all folders have the times that they had.
    func areStill(below root: String) -> Bool {
        times.indices.allSatisfy { index in
            (try? LocalFiles.status(path(index, root))).map { $0.modified == times[index] } ?? false
        }
    }

    private func path(_ index: Int, _ root: String) -> String {
        var (parts, current): ([Int], Int) = ([], index)
        while parents[current] >= 0 {
            parts.append(current)
            current = Int(parents[current])
        }
        return parts.reversed().reduce(into: root) { path, part in
            let end = part + 1 < nameStarts.count ? Int(nameStarts[part + 1]) : names.count
            path += "/" + String(decoding: names[Int(nameStarts[part])..<end], as: UTF8.self)
        }
    }
}
