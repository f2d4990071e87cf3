internal import FundCore

/// The mark before a file in a list: its thumbnail, and as long as there is none, a badge with its kind. The page's
/// script asks for thumbnails that are being made, and then turns the badge into the markup of one that is ready.
struct FileBadge {
    /// For the template `badge`.
    let model: PageModel

    /// - Parameters:
    ///   - preview: nil where there are no previews.
    ///   - path: of the thumbnail, without a query.
    init(_ kind: FileKind, _ preview: PreviewSummary?, at path: String, of digest: ContentDigest, _ words: Words) {
        var model: PageModel = ["badge": kind.badge, "badgeHue": kind.hue]
        let address = Self.address(path, of: digest)
        switch preview?.state {
        case nil: break
        // The others get their thumbnail with a later list, if they are not what they seem to be.
        case .making: if kind.mayHaveThumbnail { model["thumbWanted"] = address }
        case .ready:
            model["thumb"] = address
            if let (width, height) = preview?.proportions {
                model["thumbSize"] =
                    ["across": "\(width)", "down": "\(height)", "isWide": width > height] as PageModel
            }
        case .failed(.unsupported) where !kind.mayHaveThumbnail: break
        case .failed(let failure):
            model["thumbReason"] = words("preview.\(failure.rawValue)")
            // Other files without a thumbnail can be opened all the same.
            if failure == .quarantined { model["isQuarantined"] = true }
        }
        self.model = model
    }

    /// With the version of the content, ready for further fields.
    static func address(_ path: String, of digest: ContentDigest) -> String {
        path + PageQueryText.text([("v", PreviewVersion.text(of: digest))])
    }
}

/// The badges of the files in a list.
struct FileBadges {
    /// By content; empty where there are no previews.
    let previews: [ContentDigest: PreviewSummary]
    let words: Words

    /// - Parameter path: of the file, above that of its preview.
    func model(_ name: String, _ contentType: String, _ digest: ContentDigest, at path: String) -> PageModel {
        FileBadge(FileKind(contentType, name: name), previews[digest], at: path + "/preview", of: digest, words).model
    }

    func model(_ file: FileEntry) -> PageModel {
        model(file.name, file.contentType, file.digest, at: "/library/files/\(file.id)")
    }
}

extension PageCall {
    /// The badges of these files, by one question to the store.
    func badges(of files: [PreviewedFile]) async -> FileBadges {
        let previews = await previews(of: files)
        return FileBadges(previews: Dictionary(zip(files.map(\.digest), previews)) { first, _ in first }, words: words)
    }
}

extension ItemKind {
    /// Name in `icons.svg`; nil for a file, whose badge says of what kind it is.
    var icon: String? {
        switch self {
        case .fund: "fund"
        case .folder: "folder"
        case .file: nil
        case .email: "mail"
        case .note: "note"
        }
    }
}
