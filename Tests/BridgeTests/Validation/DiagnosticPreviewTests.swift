import Testing

@testable import bridge

struct DiagnosticPreviewTests {
    @Test func aMemberALine() {
        let json = #"{"a":"b, {\"c\": [d]}\\","e":[],"f":{"g":1.5,"h":[{"i":null},true]},"j":{}}"#
        #expect(
            DiagnosticPreview.lines(Array(json.utf8)).joined(separator: "\n") == #"""
                {
                  "a": "b, {\"c\": [d]}\\",
                  "e": [],
                  "f": {
                    "g": 1.5,
                    "h": [
                      {
                        "i": null
                      },
                      true
                    ]
                  },
                  "j": {}
                }
                """#)
    }

    @Test("Anything ends", arguments: ["", "{", "]", "\"", "}}}", "{\"a\\", "[[[,,,"])
    func anything(text: String) { _ = DiagnosticPreview.lines(Array(text.utf8)) }
}
