import Foundation
import Terminal

/// The folder that files are loaded into.
enum TargetFolder {
    /// Makes it, and those above it. Throws `CommandError`.
    static func make(_ path: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandError(.cannotCreate, "The folder \(path) cannot be made.")
        }
    }
}
