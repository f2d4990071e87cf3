extension Item: Decodable {
    private enum CodingKeys: CodingKey { case type }

    /// Reads an object with `type` among its members.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .type) {
        case "folder": self = .folder(try Folder(from: decoder))
        case "file": self = .file(try File(from: decoder))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container, debugDescription: "neither a folder nor a file")
        }
    }
}
