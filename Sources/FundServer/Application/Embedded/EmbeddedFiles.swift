internal import CServerFiles
internal import FundCore
internal import Foundation

/// The files that this program serves, or makes its pages of: style, scripts, templates, words, `openapi.yaml`. Their
/// paths are those below `Sources/FundServer`.
enum EmbeddedFiles {
    private static let contents: [String: [UInt8]] = {
        let sources = "../FundServer/"
        var contents: [String: [UInt8]] = [:]
        guard var path = fundmail_file_paths(), var content = fundmail_file_contents() else { return contents }
        while let name = path.pointee {
            let bytes = UnsafeBufferPointer(start: content, count: strlen(content))
            contents[String(String(cString: name).dropFirst(sources.count))] = bytes.map { UInt8(bitPattern: $0) }
            content += bytes.count + 1
            path += 1
        }
        return contents
    }()

    /// Traps for a path that `CServerFiles` does not list; it is a constant of this program.
    static func bytes(_ path: String) -> [UInt8] {
        #if DEBUG
            if let bytes = changedPage(path) { return bytes }
        #endif
        guard let bytes = contents[path] else { preconditionFailure("no file \(path)") }
        return bytes
    }

    /// Names of the files in a folder, in no order.
    static func names(in folder: String) -> [String] {
        contents.keys.filter { $0.hasPrefix("\(folder)/") }.map { String($0.dropFirst(folder.count + 1)) }
    }

    #if DEBUG
        /// `Sources/FundServer/Pages` where the sources of the pages are read anew for each page, so that look, markup
        /// and words are changed without a build; nil where they are as embedded.
        static let pages = ProcessInfo.processInfo.environment["FUNDMAIL_PAGES"]

        private static func changedPage(_ path: String) -> [UInt8]? {
            guard let pages, path.hasPrefix("Pages/") else { return nil }
            return FileManager.default.contents(atPath: pages + path.dropFirst("Pages".count)).map { Array($0) }
        }
    #endif
}
