package import FundCore

extension TrueType {
    /// How much of a file's beginning is looked at.
    package static let beginningBytes = 65536

    /// Finds the type of an open file by its bytes. Reads its beginning and, of containers, their lists of what is
    /// inside: at most some MiB. What cannot be read is `.unknown`. The position of the descriptor stays.
    package static func of(descriptor: Int32) -> TrueType { of(FileWindow(descriptor: descriptor)) }

    /// Finds the type of a file that begins with these bytes, as far as they tell. Office documents and archives are
    /// told apart by what stands behind their beginning: a document of 64 KiB or more may come out as `.zip` here.
    package static func of(beginning: [UInt8]) -> TrueType { of(FileWindow(beginning)) }

    static func of(_ file: FileWindow) -> TrueType {
        let beginning = file.bytes(at: 0, count: beginningBytes)
        guard !beginning.isEmpty else { return .unknown }
        if CompoundFile.begins(beginning) { return CompoundFile(file)?.type ?? .unknown }
        if ZipNames.begins(beginning) { return ZipNames(file).type }
        return FileMagic.type(of: beginning) ?? ContainerBrand.type(of: beginning) ?? AudioFrame.type(of: beginning)
            ?? MarkupType.type(of: beginning) ?? FileMagic.displacedPDF(beginning)
            ?? TextType.type(of: beginning, isWhole: file.size <= beginning.count) ?? .unknown
    }
}
