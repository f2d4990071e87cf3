internal import FundHTTP
internal import FundCore

/// All entries of one zip file, with the names that they get in it.
struct ZipPlan: Sendable {
    private(set) var items: [ZipItem] = []

    init(_ found: [ZipItem]) {
        var names = ZipNames()
        let firstEmail = found.firstIndex {
            if case .email = $0.content { true } else { false }
        }
        // The folder of the emails has its name whatever the fund's folders are called.
        let mail = firstEmail.map { _ in names.unique(ZipNames.mail, in: nil) }
        items.reserveCapacity(found.count + 1)
        for (index, item) in found.enumerated() {
            if index == firstEmail, let mail {
                items.append(ZipItem(.folder, mail, in: nil, size: 0, modifiedAt: item.modifiedAt))
            }
            var item = item
            var name = ZipNames.safe(item.name)
            if case .withheld = item.content { name += ".held back.txt" }
            if case .email(_, let isWhole) = item.content {
                // Emails come last: the indices of all other folders stay as they are.
                item.parent = firstEmail
                name = ZipNames.email(
                    subject: item.name, receivedAt: item.modifiedAt, suffix: isWhole ? ".eml" : ".txt")
            }
            item.name = names.unique(name, in: item.parent)
            items.append(item)
        }
    }

    func entry(_ item: ZipItem) throws -> ZipEntry {
        let isFolder = item.content == .folder
        var names = [item.name]
        var parent = item.parent
        while let index = parent {
            names.append(items[index].name)
            parent = items[index].parent
        }
        let path = Array(names.reversed().joined(separator: "/").utf8) + (isFolder ? [UInt8(ascii: "/")] : [])
        guard path.count <= Int(UInt16.max) else {
            throw RequestError.invalid("a folder lies too deep for a zip file")
        }
        return ZipEntry(path: path, isFolder: isFolder, size: item.size, modifiedAt: item.modifiedAt)
    }

    /// Bytes of the zip file; nil when the size of an entry is not known yet. Throws `RequestError` for a path that is
    /// too long for a zip file.
    func length() throws -> Int64? {
        var (offset, directory, isKnown): (Int64, Int64, Bool) = (0, 0, true)
        for item in items {
            let entry = try entry(item)
            directory += entry.directoryLength(at: offset)
            offset += entry.headerLength + entry.dataLength + entry.descriptorLength
            isKnown = isKnown && item.size != nil
        }
        guard isKnown else { return nil }
        return offset + directory + ZipEnd.length(count: items.count, offset: offset, size: directory)
    }
}
