/// An input that several conversions read.
final class SharedInput: Sendable {
    private let file: InputFile

    init(_ file: consuming InputFile) { self.file = file }

    var descriptor: Int32 { file.descriptor }
}
