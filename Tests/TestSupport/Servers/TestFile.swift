internal import Glibc

/// Files and folders as tests need them; every failure throws.
package enum TestFile {
    /// A new folder that servers running as another user can pass through.
    package static func makeFolder(_ purpose: String) throws -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/fundmail-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ServerFailure("mkdtemp in \(base): \(errno)") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
        return path
    }

    package static func makeDirectory(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw ServerFailure("mkdir \(path): \(errno)") }
    }

    package static func write(_ bytes: some Collection<UInt8>, to path: String, appending: Bool = false) throws {
        let file = open(path, O_WRONLY | O_CREAT | (appending ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ServerFailure("create \(path): \(errno)") }
        defer { close(file) }
        try Array(bytes).withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { throw ServerFailure("write \(path): \(errno)") }
                rest = rest.dropFirst(count)
            }
        }
    }

    package static func write(_ text: String, to path: String) throws { try write(text.utf8, to: path) }

    package static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ServerFailure("open \(path): \(errno)") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw ServerFailure("read \(path): \(errno)") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// The names in a folder, sorted, without the hidden ones; none where there is no such folder.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
