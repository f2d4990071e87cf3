internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// A file of a drive as a page, and the parts of its preview.
    static let driveFileRoutes: [PageRoute] = [
        .get("\(DrivePaths.drives)/{drive}/file") { call in
            let (drive, path) = (try await call.drive(), try call.driveItem(try call.query()["path"]))
            return try await DriveFilePage(drive, path, call).response()
        },
        .get("\(DrivePaths.drives)/{drive}/preview") { call in
            do { return try await call.drivePreview() } catch let failure as RenditionFailure {
                throw failure.requestError
            }
        },
        // In a frame: what keeps the words away is said there in words, too.
        .get("\(DrivePaths.drives)/{drive}/preview/text") { call in
            let bytes: [UInt8]
            do {
                let words = try await call.driveWords()
                bytes = words.allSatisfy(ASCII.isSpace) ? Array(call.words("viewer.wordless").utf8) : words
            } catch let failure as RenditionFailure {
                bytes = Array(call.words("preview.\(failure.rawValue)").utf8)
            }
            return PageCall.passing(bytes, "text/plain; charset=utf-8")
        },
    ]
}

/// A file of a drive: what it is, what is in it, and what can be done with it. Its preview is made of a copy that goes
/// again.
struct DriveFilePage {
    /// Pages of a document on one page.
    private static let sectionPages = 20
    /// Bytes of a text that is shown.
    private static let maxTextBytes = 200_000
    /// A file whose name tells nothing is looked into only when it has no more bytes.
    private static let maxUnknownBytes: Int64 = 1 << 20
    /// Time for which the page waits for the copy; it loads itself again after that.
    private static let copyWait = Duration.milliseconds(1500)
    private static let pageSize = RenditionKind.page.pixels ?? 0

    private let drive: Drive
    private let path: DrivePath
    private let call: PageCall

    init(_ drive: Drive, _ path: DrivePath, _ call: PageCall) {
        (self.drive, self.path, self.call) = (drive, path, call)
    }

    func response() async throws -> Response {
        let words = call.words
        let (folder, name) = (path.parent ?? .top, path.name ?? "")
        let back = DrivePaths.folder(folder, of: drive.id)
        let here = DrivePaths.file(path, of: drive.id)
        var model: PageModel = [
            "atDrives": true, "hasPaper": true, "here": here, "back": back, "action": DrivePaths.drive(drive.id),
            "name": name, "folder": folder.description, "key": DriveSelection.field(of: name),
            "driveName": drive.name, "top": DrivePaths.drive(drive.id),
            "trail": DrivePaths.trail(to: folder, of: drive.id),
        ]
        var shown = FileNameParts(shown: name)
        let entry: DriveEntry
        do {
            entry = try await call.driveEntry(at: path, of: drive.id)
            guard !entry.isFolder else { return call.redirect(to: DrivePaths.folder(path, of: drive.id)) }
        } catch let failure as DriveError {
            model.fail(words.sentence(failure.requestError))
            (model["stem"], model["ending"], model["isThere"]) = (shown.stem, shown.suffix, false)
            return call.page("drivefile", model, title: name, status: failure.requestError.status)
        }
        shown = FileNameParts(shown: entry.name)
        let kind = FileKind(entry.contentType ?? "", name: entry.name)
        let size = entry.size.map(call.formats.size)
        model.merge([
            "stem": shown.stem, "ending": shown.suffix, "isThere": true, "badge": kind.badge, "badgeHue": kind.hue,
            "size": size.orAbsent, "time": entry.modifiedAt.map(call.formats.time).orAbsent,
            "contents": DrivePaths.content(path, of: drive.id), "edit": DrivePaths.entry(path, of: drive.id),
        ])
        model.merge(try await preview(of: entry, kind))
        try await call.reservePage(of: model)
        return call.page("drivefile", model, title: entry.name, isKept: false)
    }

    /// The preview, or a sentence that says why there is none.
    private func preview(of entry: DriveEntry, _ kind: FileKind) async throws -> PageModel {
        do {
            guard isWorthCopying(entry, kind) else { throw RenditionFailure.unsupported }
            let file = try await call.transientFile(
                at: path, of: drive.id, entry, waitingAtMost: Self.copyWait)
            guard let file else { return ["isMaking": true, "refresh": PageCall.refreshSeconds] }
            switch file.info.type.family {
            case .pdf, .office: return pages(of: file)
            case .picture, .vector, .video: return pictures(1...1, count: 1)
            case .text, .archive: return try await text(of: file, kind)
            case .audio, .unknown: throw RenditionFailure.unsupported
            }
        } catch let failure as RenditionFailure {
            return lack(call.words(failure == .unsupported ? "drives.noview" : "preview.\(failure.rawValue)"))
        } catch let failure as DriveError {
            return lack(call.words.sentence(failure.requestError))
        } catch let failure as StoreError where failure.isOne(of: .outOfSpace, .unscanned) {
            return lack(call.words.sentence(failure.requestError))
        } catch let failure as RequestError {
            // There are no previews here, or too many are made just now.
            return lack(call.words.sentence(failure))
        }
    }

    private func lack(_ sentence: String) -> PageModel { ["lack": sentence, "isLacking": true] }

    /// No preview shows a sound, and a large file without a known ending is hardly a document.
    private func isWorthCopying(_ entry: DriveEntry, _ kind: FileKind) -> Bool {
        guard let expected = kind.expected else { return entry.size.map { $0 <= Self.maxUnknownBytes } ?? true }
        return expected.family != .audio
    }

    /// The pages of a document that the address asks for.
    private func pages(of file: any TransientFile) -> PageModel {
        let (page, count) = ((try? call.previewPage(call.query())) ?? 1, max(file.info.pageCount ?? 1, 1))
        let first = (min(page, count) - 1) / Self.sectionPages * Self.sectionPages + 1
        let next = first + Self.sectionPages
        var model = pictures(first...min(next - 1, count), count: count, file.info)
        if first > 1 { model["earlier"] = DrivePaths.file(path, of: drive.id, page: first - Self.sectionPages) }
        if next <= count { model["later"] = DrivePaths.file(path, of: drive.id, page: next) }
        model["pageCount"] = call.words.count("pages", count)
        model["wordsSource"] = DrivePaths.words(path, of: drive.id, page: first)
        return model
    }

    private func pictures(_ pages: ClosedRange<Int>, count: Int, _ info: FileInfo? = nil) -> PageModel {
        let proportions: PageModel? = info.flatMap { info in
            guard let width = info.width, let height = info.height, width > 0, height > 0 else { return nil }
            let scale = Double(Self.pageSize) / Double(max(width, height))
            func scaled(_ length: Int) -> String { "\(max(Int((Double(length) * scale).rounded()), 1))" }
            return ["across": scaled(width), "down": scaled(height)]
        }
        return [
            "isSeen": true,
            "leaves": pages.map { number in
                [
                    "number": "\(number)",
                    "source": DrivePaths.preview(path, of: drive.id, page: number, size: Self.pageSize),
                    "alternative": count > 1 ? call.words("viewer.page", "\(number)") : path.name ?? "",
                    "isFirst": number == pages.lowerBound, "proportions": proportions.orAbsent,
                ] as PageModel
            },
        ]
    }

    /// A table or the fields of a mail, of a calendar or of cards; the words of any other text.
    private func text(of file: any TransientFile, _ kind: FileKind) async throws -> PageModel {
        let user = try call.userID
        return try await call.parts.drivePreviews.making(for: user) {
            if FieldsViewer.isLikely(file.info.type, kind), let fields = try? await file.fields() {
                var model = FieldsViewer.model(of: fields, call)
                model["wordsSource"] = DrivePaths.words(path, of: drive.id, page: 1)
                return ["fields": model]
            }
            let bytes = try await file.words(page: 1)
            guard !bytes.allSatisfy(ASCII.isSpace) else { return lack(call.words("viewer.wordless")) }
            return [
                "wording": String(decoding: bytes.prefix(Self.maxTextBytes), as: UTF8.self),
                "isCut": bytes.count > Self.maxTextBytes,
            ]
        }
    }
}
