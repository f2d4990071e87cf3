internal import Foundation
internal import GRDB
package import FundCore

extension FundStore {
    package func checksums(of digests: [ContentDigest]) async throws -> [ContentDigest: ContentChecksums] {
        try await blocking { [self] in
            try read("read checksums") { db in
                let statement = try db.cachedStatement(
                    sql: "SELECT md5, sha1 FROM blob WHERE digest = ? AND md5 IS NOT NULL AND sha1 IS NOT NULL")
                return try digests.reduce(into: [:]) { found, digest in
                    guard let row = try Row.fetchOne(statement, arguments: [digest.column]) else { return }
                    found[digest] = ContentChecksums(md5: Array(row[0] as Data), sha1: Array(row[1] as Data))
                }
            }
        }
    }

    package func keepChecksums(_ checksums: [ContentDigest: ContentChecksums]) async throws {
        guard !checksums.isEmpty else { return }
        try await changing { [self] in
            try write("keep checksums") { db in
                let statement = try db.cachedStatement(sql: "UPDATE blob SET md5 = ?, sha1 = ? WHERE digest = ?")
                for (digest, sums) in checksums {
                    try statement.execute(arguments: [Data(sums.md5), Data(sums.sha1), digest.column])
                }
            }
        }
    }
}
