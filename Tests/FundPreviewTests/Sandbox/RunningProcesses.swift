import Foundation

/// The processes of this machine.
enum RunningProcesses {
    /// Those whose command line has this text.
    static func with(_ mark: String) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { pid in
            guard pid != getpid(), let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
                return false
            }
            return String(decoding: line, as: UTF8.self).contains(mark)
        }
    }

    /// Whether none is left, waiting two seconds: what is killed is not gone at once.
    static func isEmpty(_ mark: String) async throws -> Bool {
        for _ in 0..<100 {
            if with(mark).isEmpty { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}
