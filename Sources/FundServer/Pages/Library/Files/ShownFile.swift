internal import FundCore

/// How a file that is opened shows what is in it: by the file itself, by pictures that were made of it, or by its
/// words.
struct ShownFile {
    /// Bytes of the largest text that is shown in the short frame.
    private static let maxShortBytes = 500

    /// For the template `file`.
    private(set) var model: PageModel

    /// - Parameter list: the list beside which the file is opened.
    init(_ file: FileEntry, _ kind: FileKind, in list: ShownList, _ call: PageCall) async throws {
        model = ["isShort": file.size <= Self.maxShortBytes]
        guard let preview = await call.previews(of: [PreviewedFile(file)]).first else {
            show(kind.viewer)
            return
        }
        let path = "\(list.contents(of: file.id))/preview"
        if kind.viewer == .video, case .ready = preview.state {
            model["poster"] = FileBadge.address(path, of: file.digest)
        }
        if kind.viewer == .audio { showWaveform(preview, at: FileBadge.address(path + "/waveform", of: file.digest)) }
        if let viewer = try await PageViewer(file, kind, preview, in: list, call) {
            guard let failure = viewer.failure else {
                model["viewer"] = viewer.model
                model["isDocument"] = kind.viewer == .pdf
                return
            }
            model["unseen"] =
                [
                    "why": call.words("preview.\(failure.rawValue)"), "badge": kind.badge, "badgeHue": kind.hue,
                ] as PageModel
            if kind.viewer != nil { show(kind.viewer) }
            return
        }
        let words = FileBadge.address(path + "/text", of: file.digest)
        switch try await FieldsViewer(file: file, kind: kind, call: call).outcome(preview.info) {
        case .shown(var fields):
            fields["wordsSource"] = words
            model["fields"] = fields
        case .making:
            (model["isMaking"], model["wording"]) = (true, words)
        case .none:
            // To learn that there are no fields may have told what it is.
            var info = preview.info
            if info == nil { info = await call.previews(of: [PreviewedFile(file)]).first?.info }
            if kind.viewer == nil, let family = info?.type.family, family == .text || family == .archive {
                model["wording"] = words
            } else {
                show(kind.viewer)
            }
        }
    }

    /// Above the player. One that is being made is asked for by the page's script, as thumbnails are.
    private mutating func showWaveform(_ preview: PreviewSummary, at address: String) {
        guard preview.info.map({ $0.type.family == .audio || $0.type == .unknown }) ?? true else { return }
        model["duration"] = preview.info?.milliseconds.map(Self.duration)
        switch preview.state {
        case .ready: model["waveform"] = ["source": address] as PageModel
        case .making: model["waveform"] = ["wanted": address] as PageModel
        case .failed: break
        }
    }

    /// A duration as players show it: `3:05`, `1:02:09`.
    private static func duration(_ milliseconds: Int64) -> String {
        let seconds = (max(milliseconds, 0) + 500) / 1000
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let rest = "\(seconds % 60)".zeroPadded(to: 2)
        return hours > 0 ? "\(hours):\("\(minutes)".zeroPadded(to: 2)):\(rest)" : "\(minutes):\(rest)"
    }

    private mutating func show(_ viewer: FileKind.Viewer?) {
        let name =
            switch viewer {
            case .pdf: "isPDF"
            case .picture: "isPicture"
            case .audio: "isAudio"
            case .video: "isVideo"
            case .text: "isText"
            case nil: "isOther"
            }
        model[name] = true
    }
}
