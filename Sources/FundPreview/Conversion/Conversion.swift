package import FundCore

/// One piece of work for a process of converters.
package struct Conversion: Sendable, Hashable {
    /// Kind of work.
    package enum Work: Sendable, Hashable {
        case info
        /// WebP within so many pixels on the longer side; larger than the source only where it has no size in pixels.
        case picture(pixels: Int, page: Int)
        /// An office document as PDF, its first pages alone, or HTML, all of it.
        case document
        /// UTF-8, NFC is not promised; a form feed ends each page of a document.
        case text
        /// The words in the picture of a page of a PDF, or in a picture, as tesseract(1) recognises them, in these
        /// languages, or in those that are installed of Chinese and English: one page takes seconds. Gives `.text`.
        case recognition(page: Int, languages: [RecognitionLanguage]? = nil)
        /// How loud audio is from its beginning to its end.
        case waveform
        /// The rows of a table, or the fields of a calendar or of cards, that are text.
        case fields
        /// A picture with a drawing over it, as WebP. The input is the WebP of so many bytes, and behind it the SVG of
        /// the drawing.
        case marked(pictureBytes: Int)
    }

    package var work: Work
    /// Type as `TrueType.of(descriptor:)` found it.
    package var type: TrueType
    /// From 1; the second one has twice as much time and memory.
    package var attempt: Int
    /// True when a user waits for it: it does not stand behind other programs for the processors.
    package var isAwaited: Bool

    package init(_ work: Work, of type: TrueType, attempt: Int = 1, isAwaited: Bool = false) {
        self.work = work
        self.type = type
        self.attempt = attempt
        self.isAwaited = isAwaited
    }
}

/// Checked result of a conversion: a picture begins as WebP and has the size in pixels that it says, a document
/// begins as PDF, text is UTF-8, a waveform has as many peaks as it may, fields are within their bounds.
package enum Converted: Sendable, Hashable {
    case info(FileInfo)
    /// Bytes of WebP.
    case picture([UInt8], width: Int, height: Int)
    /// Bytes of PDF.
    case document([UInt8])
    case text([UInt8])
    case waveform(Waveform)
    case fields(FileFields)
}

/// Makes renditions in processes that reach nothing but the bytes that they are given.
package protocol Converter: Sendable {
    /// Converts the bytes of an open file, from 0 to its end. The caller keeps `input` open meanwhile. A task that is
    /// cancelled ends the conversion and gets `CancellationError`; any other failure is a `RenditionFailure`, or an
    /// error of the system, after which the work may be tried again.
    func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted
    /// Abilities of this machine. Looked up once for each converter process.
    func abilities() async throws -> ConverterAbilities
}

/// Abilities of a machine: its tools, sandbox and languages.
package struct ConverterAbilities: Sendable, Hashable {
    /// Confinement of the tools.
    package enum Sandbox: String, Sendable, Hashable {
        /// bwrap(1): namespaces, seccomp(2) and limits.
        case namespaces
        /// landlock(7), seccomp(2) and limits.
        case landlock
        case none
    }

    /// A program that conversions need.
    package struct Tool: Sendable, Hashable {
        /// The name of the program.
        package var name: String
        /// Version that it reports; nil where it is not installed.
        package var version: String?
        /// The Debian package that has it.
        package var debianPackage: String

        package init(name: String, version: String?, debianPackage: String) {
            self.name = name
            self.version = version
            self.debianPackage = debianPackage
        }
    }

    package var sandbox: Sandbox
    /// Why it is not `namespaces`, in words for an administrator.
    package var sandboxProblem: String?
    package var tools: [Tool]
    /// Languages in which words are recognised.
    package var languages: [RecognitionLanguage]

    package init(
        sandbox: Sandbox, sandboxProblem: String? = nil, tools: [Tool], languages: [RecognitionLanguage] = []
    ) {
        self.languages = languages
        self.sandbox = sandbox
        self.sandboxProblem = sandboxProblem
        self.tools = tools
    }
}
