import Foundation
import FundClient
import Glibc
import Synchronization

/// Signs of changes in a folder by inotify (`inotify(7)`).
struct FolderWatch: FolderWatching {
    /// Told, once, when the system watches no more folders.
    var onLimit: @Sendable () -> Void = {}

    func changes(in folder: String) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            guard let watch = Watch() else {
                onLimit()
                continuation.finish()
                return
            }
            // Before this returns: what changes from now on is seen.
            let folders = WatchedFolders(watch, top: folder, onLimit)
            continuation.onTermination = { _ in watch.end() }
            Thread.detachNewThread {
                var folders = folders
                folders.run { continuation.yield() }
                continuation.finish()
            }
        }
    }

    /// The descriptor, closed with the last reference.
    fileprivate final class Watch: Sendable {
        let descriptor: Int32
        private let isOver = Atomic(false)

        init?() {
            descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else { return nil }
        }

        deinit { close(descriptor) }

        /// The thread that reads sees it a moment later.
        func end() { isOver.store(true, ordering: .relaxed) }

        var isEnded: Bool { isOver.load(ordering: .relaxed) }
    }
}

/// The folders below one, each with its number in a watch.
private struct WatchedFolders: Sendable {
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
            | IN_DONT_FOLLOW)
    private static let bufferBytes = 64 << 10
    /// How soon it sees that it is to end, in milliseconds.
    private static let pollTime: Int32 = 500

    private let watch: FolderWatch.Watch
    private let top: String
    private let onLimit: @Sendable () -> Void
    private var isLimited = false
    private var folders: [Int32: String] = [:]

    init(_ watch: FolderWatch.Watch, top: String, _ onLimit: @escaping @Sendable () -> Void) {
        (self.watch, self.top, self.onLimit) = (watch, top, onLimit)
        add(top, isTop: true)
    }

    /// With all folders below it.
    private mutating func add(_ folder: String, isTop: Bool) {
        var waiting = [(folder, isTop)]
        while let (path, isTop) = waiting.popLast() {
            let number = inotify_add_watch(watch.descriptor, path, Self.events)
            guard number >= 0 else {
                if errno == ENOSPC, !isLimited {
                    isLimited = true
                    onLimit()
                }
                continue
            }
            folders[number] = path
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
                if isTop, name == SyncName.ownFolder { continue }
                var status = stat()
                guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
                waiting.append(("\(path)/\(name)", false))
            }
        }
    }

    mutating func run(_ sign: () -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferBytes, alignment: MemoryLayout<inotify_event>.alignment)
        defer { buffer.deallocate() }
        while !watch.isEnded {
            var wait = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Self.pollTime) > 0 else { continue }
            let count = read(watch.descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { continue }
            if take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { sign() }
        }
    }

    /// True when one of the events is a change.
    private mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
            if folder == top, name == SyncName.ownFolder { continue }
            isChange = true
            if event.mask & UInt32(IN_ISDIR) != 0, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
                add("\(folder)/\(name)", isTop: false)
            }
        }
        return isChange
    }
}
