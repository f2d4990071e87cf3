package import FundCore
internal import CZlib
internal import Hummingbird

/// A zip file of contents that are in memory, such as an office document.
package enum SmallZip {
    /// All entries, in their order, and the directory behind them.
    /// - Parameters:
    ///   - files: names with `/` between folders, and contents of less than 4 GiB.
    ///   - time: of all entries.
    package static func bytes(of files: [(name: String, content: [UInt8])], at time: Timestamp) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            let size = Int64(file.content.count)
            let entry = ZipEntry(path: Array(file.name.utf8), isFolder: false, size: size, modifiedAt: time)
            let checksum = UInt32(crc32_z(0, file.content, file.content.count))
            directory += entry.directoryRecord(checksum: checksum, size: size, at: Int64(bytes.count))
            bytes += entry.header()
            bytes += StoredBlocks.framed(ByteBuffer(bytes: file.content), at: 0, of: size).readableBytesView
            bytes += entry.descriptor(checksum: checksum, size: size)
        }
        let end = ZipEnd.record(count: files.count, offset: Int64(bytes.count), size: Int64(directory.count))
        return bytes + directory + end
    }
}
