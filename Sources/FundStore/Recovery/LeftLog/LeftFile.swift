internal import Glibc
import FundCore

/// A file that a log left behind: a segment under whatever name, or what stands in the place of one.
struct LeftFile: Sendable {
    let path: String
    /// The part that is looked at, in bytes.
    var range: Range<Int64> = Int64(LogFormat.openingBytes)..<Int64.max
}

/// A part of a log left behind that could not be read.
struct LeftDamage: Error, Hashable, Sendable, CustomStringConvertible {
    let path: String
    let text: String

    init(_ path: String, _ text: String) { (self.path, self.text) = (path, text) }

    init(_ path: String, _ error: any Error) {
        self.path = path
        // It names the path by itself.
        text = (error as? DiskError).map { "it cannot be read: \(SystemText.of($0.code))" } ?? "\(error)"
    }

    var description: String { "\(path): \(text)" }
}

/// The segments in given places, each file once.
struct LeftFiles {
    private(set) var files: [LeftFile] = []
    private(set) var damages: [LeftDamage] = []
    private var seen: Set<Identity> = []

    /// Identity of a file, which may have several names.
    private struct Identity: Hashable {
        var device: dev_t
        var number: ino_t
    }

    /// Creates a list of these alone.
    init(_ files: [LeftFile]) { self.files = files }

    /// - Parameter places: files, folders of segments, and stores, which have their segments in `log/` and `lost/`.
    ///   Any of these folders may stand behind a link.
    init(in places: [String]) {
        for place in places {
            let parts = [StoreLocation.logName, StoreLocation.lostName].map { "\(place)/\($0)" }
            let folders = parts.filter(DiskFile.leadsToFolder)
            for path in parts where DiskFile.kind(of: path) == .link && !folders.contains(path) {
                let text = "it is a symbolic link that leads to no folder; is a disk not mounted?"
                damages.append(LeftDamage(path, text))
            }
            if !folders.isEmpty {
                for folder in folders { addFolder(folder) }
            } else if DiskFile.leadsToFolder(place) {
                addFolder(place)
            } else {
                addFile(place, isNamed: true)
            }
        }
    }

    /// Says of places, as `init` takes them, that they have no segment: names that are wrong, disks that are not
    /// mounted.
    static func emptiness(of places: [String]) -> [LeftDamage] {
        places.flatMap { place in
            let found = LeftFiles(in: [place])
            guard found.files.isEmpty else { return [] as [LeftDamage] }
            return found.damages.isEmpty ? [LeftDamage(place, "there are no segments in it")] : found.damages
        }
    }

    private mutating func addFolder(_ folder: String) {
        do {
            for name in try DiskDirectory.names(in: folder) {
                addFile("\(folder)/\(name)", isNamed: name.contains(SegmentNumber.suffix))
            }
        } catch { damages.append(LeftDamage(folder, error)) }
    }

    /// - Parameter isNamed: it should be a segment. Others are passed over unless they begin as one.
    private mutating func addFile(_ path: String, isNamed: Bool) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if isNamed { damages.append(LeftDamage(path, DiskError("look at", path))) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            if isNamed { damages.append(LeftDamage(path, "it is \(DiskFile.Kind(status)), not a segment")) }
            return
        }
        guard isNamed || Self.beginsAsSegment(path) else { return }
        guard seen.insert(Identity(device: status.st_dev, number: status.st_ino)).inserted else { return }
        files.append(LeftFile(path: DiskDirectory.realPath(path) ?? path))
    }

    private static func beginsAsSegment(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: LogFormat.openingMagic.count)
        let count = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: 0) }
        return count == bytes.count && bytes == LogFormat.openingMagic
    }
}
