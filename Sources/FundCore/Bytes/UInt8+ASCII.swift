/// The bytes of ASCII (RFC 20) that mail syntax gives a meaning, by name: `byte == .colon`.
///
/// `public` and `@inlinable`, because the compiler inlines nothing across modules that is only `package`, and loops
/// over the bytes of a message compare with these.
extension UInt8 {
    /// U+0000
    @inlinable public static var nul: UInt8 { 0x00 }
    /// Horizontal tab
    @inlinable public static var tab: UInt8 { 0x09 }
    /// Line feed
    @inlinable public static var lf: UInt8 { 0x0A }
    /// Vertical tab
    @inlinable public static var vt: UInt8 { 0x0B }
    /// Form feed
    @inlinable public static var ff: UInt8 { 0x0C }
    /// Carriage return
    @inlinable public static var cr: UInt8 { 0x0D }
    /// Begins the escape sequences of ISO/IEC 2022
    @inlinable public static var escape: UInt8 { 0x1B }
    /// The lowest byte that is no control
    @inlinable public static var space: UInt8 { 0x20 }
    /// `"`
    @inlinable public static var quote: UInt8 { UInt8(ascii: "\"") }
    /// `%`
    @inlinable public static var percent: UInt8 { UInt8(ascii: "%") }
    /// `&`
    @inlinable public static var ampersand: UInt8 { UInt8(ascii: "&") }
    /// `'`
    @inlinable public static var apostrophe: UInt8 { UInt8(ascii: "'") }
    /// `(`
    @inlinable public static var openParenthesis: UInt8 { UInt8(ascii: "(") }
    /// `)`
    @inlinable public static var closeParenthesis: UInt8 { UInt8(ascii: ")") }
    /// `*`
    @inlinable public static var asterisk: UInt8 { UInt8(ascii: "*") }
    /// `+`
    @inlinable public static var plus: UInt8 { UInt8(ascii: "+") }
    /// `,`
    @inlinable public static var comma: UInt8 { UInt8(ascii: ",") }
    /// `-`
    @inlinable public static var hyphen: UInt8 { UInt8(ascii: "-") }
    /// `.`
    @inlinable public static var dot: UInt8 { UInt8(ascii: ".") }
    /// `/`
    @inlinable public static var slash: UInt8 { UInt8(ascii: "/") }
    /// `:`
    @inlinable public static var colon: UInt8 { UInt8(ascii: ":") }
    /// `;`
    @inlinable public static var semicolon: UInt8 { UInt8(ascii: ";") }
    /// `<`
    @inlinable public static var lessThan: UInt8 { UInt8(ascii: "<") }
    /// `=`
    @inlinable public static var equals: UInt8 { UInt8(ascii: "=") }
    /// `>`
    @inlinable public static var greaterThan: UInt8 { UInt8(ascii: ">") }
    /// `?`
    @inlinable public static var questionMark: UInt8 { UInt8(ascii: "?") }
    /// `@`
    @inlinable public static var at: UInt8 { UInt8(ascii: "@") }
    /// `\`
    @inlinable public static var backslash: UInt8 { UInt8(ascii: "\\") }
    /// `_`
    @inlinable public static var underscore: UInt8 { UInt8(ascii: "_") }
    /// The control above the visible bytes
    @inlinable public static var delete: UInt8 { 0x7F }
}
