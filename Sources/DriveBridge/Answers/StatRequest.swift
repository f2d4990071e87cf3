internal import FundCore
internal import Foundation

/// A question to rclone's server about one file, and what it answers (rclone.org/rc, operations/stat).
struct StatRequest: Encodable, Sendable {
    private struct Options: Encodable {
        let filesOnly = true
        let showHash: Bool
    }

    private struct Configuration: Encodable {
        let useServerModTime: Bool

        private enum CodingKeys: String, CodingKey { case useServerModTime = "UseServerModTime" }
    }

    private struct Answer: Decodable {
        var item: ListedEntry?
    }

    private struct Failure: Decodable {
        var error: String
    }

    private let fs: String
    private let remote: String
    private let opt: Options
    private let configuration: Configuration

    private enum CodingKeys: String, CodingKey {
        case fs, remote, opt
        case configuration = "_config"
    }

    /// - Parameters:
    ///   - section: of the configuration file.
    ///   - path: as rclone's server has it.
    ///   - listing: options of a listing, see `RemoteConfiguration.listing`.
    init(_ section: String, _ path: String, _ listing: [String]) {
        (fs, remote) = ("\(section):", path)
        opt = Options(showHash: listing.contains("--hash"))
        configuration = Configuration(useServerModTime: listing.contains("--use-server-modtime"))
    }

    /// Throws the errors of the encoder.
    var json: String { get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } }

    /// The file; nil where none stands. Throws `broken` for bytes that are no answer.
    static func file(_ json: [UInt8]) throws(DriveError) -> ListedEntry? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(json)) else {
            throw DriveError(.broken, "an entry")
        }
        return answer.item
    }

    /// The message of a failure, without the question, which such an answer holds, too.
    static func failure(_ json: [UInt8]) -> String {
        (try? JSONDecoder().decode(Failure.self, from: Data(json)))?.error ?? ""
    }
}
