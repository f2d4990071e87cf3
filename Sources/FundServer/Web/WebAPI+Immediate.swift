internal import FundCore
internal import HTTPTypes

/// Contents that programs fetch are answered at once where nothing has to be waited for.
extension WebAPI {
    private static let contentSuffix = "/content"
    private static let filePrefix = "\(root)/v1/files/"
    private static let attachmentPrefix = "\(root)/v1/attachments/"
    private static let fileRoute = filePrefix + "{file}" + contentSuffix
    private static let attachmentRoute = attachmentPrefix + "{attachment}" + contentSuffix

    /// Neither with a query nor for other spellings of a path.
    func immediateCall(to path: String) -> ImmediateCall? {
        if let id: AttachmentEntry.ID = Self.id(in: path, behind: Self.attachmentPrefix) {
            return call(Self.attachmentRoute) { parts.contents.knownAttachment(id, of: $0) }
        }
        if let id: FileEntry.ID = Self.id(in: path, behind: Self.filePrefix) {
            return call(Self.fileRoute) { parts.contents.knownFile(id, of: $0) }
        }
        return nil
    }

    private static func id<Entity>(in path: String, behind prefix: String) -> ID<Entity>? {
        guard path.hasPrefix(prefix), path.hasSuffix(contentSuffix) else { return nil }
        let text = path.utf8.dropFirst(prefix.utf8.count).dropLast(contentSuffix.utf8.count)
        guard !text.isEmpty, let number = QueryText.number(Substring(text)), number > 0 else { return nil }
        return ID(number)
    }

    private func call(_ route: String, _ content: @escaping (User.ID) -> ServedContent?) -> ImmediateCall {
        ImmediateCall(route: route) { request, sends in
            guard let sender = WebCredential(request.headerFields)?.knownSender(parts.authenticator),
                let content = content(sender.user.id)
            else { return nil }
            sends.noteUser(sender.user.id)
            return parts.downloads.immediateResponse(content, to: request, over: sends)
        }
    }
}
