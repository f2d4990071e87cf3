internal import Foundation
internal import FundClient
internal import Glibc

/// Signs of changes in a folder by inotify (`inotify(7)`).
struct FolderWatch: FolderWatching {
    /// Told, once, when the system watches no more folders.
    var onLimit: @Sendable () -> Void = {}

    func changes(in folder: String) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            guard let watch = Watch(folder, onLimit) else {
                onLimit()
                continuation.finish()
                return
            }
            continuation.onTermination = { _ in watch.end() }
            Thread.detachNewThread {
                watch.run { continuation.yield() }
                continuation.finish()
            }
        }
    }

    /// The descriptor and its folders belong to the thread that runs it; `end` only raises a flag.
    private final class Watch: @unchecked Sendable {
        private let descriptor: Int32
        private var folders: [Int32: String] = [:]
        private let onLimit: @Sendable () -> Void
        private var isLimited = false
        /// Guards `isEnded`.
        private let lock = NSLock()
        private var isEnded = false

        private static let events = UInt32(
            IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
                | IN_DONT_FOLLOW)
        private static let ownFolder = ".fund"
        private static let bufferBytes = 64 << 10
        /// How soon it sees that it is to end, in milliseconds.
        private static let pollTime: Int32 = 500

        init?(_ folder: String, _ onLimit: @escaping @Sendable () -> Void) {
            descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            self.onLimit = onLimit
            guard descriptor >= 0 else { return nil }
            add(folder, isTop: true)
        }

        deinit { close(descriptor) }

        func end() { lock.withLock { isEnded = true } }

        /// With all folders below it.
        private func add(_ folder: String, isTop: Bool) {
            var waiting = [(folder, isTop)]
            while let (path, isTop) = waiting.popLast() {
                let number = inotify_add_watch(descriptor, path, Self.events)
                guard number >= 0 else {
                    if errno == ENOSPC, !isLimited {
                        isLimited = true
                        onLimit()
                    }
                    continue
                }
                folders[number] = path
                for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
                    if isTop, name == Self.ownFolder { continue }
                    var status = stat()
                    guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
                    waiting.append(("\(path)/\(name)", false))
                }
            }
        }

        func run(_ sign: () -> Void) {
            let top = folders.values.min { $0.utf8.count < $1.utf8.count } ?? ""
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: Self.bufferBytes, alignment: MemoryLayout<inotify_event>.alignment)
            defer { buffer.deallocate() }
            while !lock.withLock({ isEnded }) {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, Self.pollTime) > 0 else { continue }
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { continue }
                if take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), top) { sign() }
            }
        }

        /// True when one of the events is a change.
        private func take(_ bytes: UnsafeRawBufferPointer, _ top: String) -> Bool {
            var (offset, isChange) = (0, false)
            let headBytes = MemoryLayout<inotify_event>.size
            while offset + headBytes <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let nameBytes = bytes[(offset + headBytes)...].prefix(Int(event.len)).prefix { $0 != 0 }
                offset += headBytes + Int(event.len)
                if event.mask & UInt32(IN_IGNORED) != 0 {
                    folders[event.wd] = nil
                    continue
                }
                let name = String(decoding: nameBytes, as: UTF8.self)
                // After an overflow (`IN_Q_OVERFLOW`) there is no folder.
                guard let folder = folders[event.wd] else {
                    isChange = true
                    continue
                }
                if folder == top, name == Self.ownFolder { continue }
                isChange = true
                if event.mask & UInt32(IN_ISDIR) != 0, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
                    add("\(folder)/\(name)", isTop: false)
                }
            }
            return isChange
        }
    }
}
