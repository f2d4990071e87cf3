import Foundation
import TestSupport

/// The processes of this machine.
enum RunningProcesses {
    /// Processes whose command line has this text.
    static func with(_ mark: String) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { pid in
            guard pid != getpid(), let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
                return false
            }
            return String(decoding: line, as: UTF8.self).contains(mark)
        }
    }

    /// Nil for one that is gone.
    static func parent(of process: Int32) -> Int32? {
        let text = FileManager.default.contents(atPath: "/proc/\(process)/stat") ?? Data()
        let words = String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? Int32(words[1]) : nil
    }

    /// Whether this process started it, or another one that did.
    static func isOwn(_ process: Int32) -> Bool {
        var ancestor = parent(of: process)
        while let known = ancestor, known != getpid() { ancestor = parent(of: known) }
        return ancestor != nil
    }

    /// Whether all have ended or do so soon: what is killed is not gone at once.
    static func isEmpty(_ mark: String) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while let process = with(mark).first {
            guard try await ProcessEnd.wait(for: process, within: end - .now) else { return false }
        }
        return true
    }
}
