/// The picture of the web clip: the brackets of `icons.svg`, without its round corners, which devices cut themselves.
enum WebClipIcon {
    /// 240 × 240 pixels of two colours (PNG, bit depth 1 with a palette), of which screens show 180 at most. At this
    /// size each edge of the brackets lies between two pixels.
    private static let base64 =
        "iVBORw0KGgoAAAANSUhEUgAAAPAAAADwAQMAAAAEm3vRAAAABlBMVEULXVf///9ZR1N/AAAAPUlEQVR42u3XwQkAIAwEwYD992Rnivr3HY7Z"
        + "V46pIFWS1LR1mu8ed2AcyZ+JMcYYY4wxxjiUvcg4niWpURvpk7g14df+KwAAAABJRU5ErkJggg=="

    static let png: [UInt8] = Base64.bytes(base64) ?? []
}
