/// What a decoder finds in the bytes of a TMF882x sketch.
enum TMF882xEvent: Equatable, Sendable {
    case frame(FirmwareFrame)
    /// A frame was begun and could not be kept.
    case rejected(FrameFault)
    /// Frames that never came, by the device's own count.
    case missing(UInt64)
    /// The device's count and clock began anew in mid-stream, with the result before this one.
    case beganAnew
    /// Results come, and nothing has told of which grid they are.
    case gridUnknown
    /// Another sensor's lines are among these; told once for each.
    case otherSensor(address: Int)
    case text(TMF882xText)
}

/// Bytes of the TMF882x sketches in, frames out: a value without a clock that gives the same events for any split of the same bytes.
///
/// The histograms of a result come as rows of byte planes, numbered from 0 in each sub-capture, and the `#Obj` line *behind* them ends
/// the result. A result counts only when every row came once and in order. Rows of a hole that is exactly one result long have
/// no mark that would tell; the device's count then does.
struct TMF882xDecoder: Sendable {
    private var lines = TMF882xLines()
    var results: TMF882xResults

    /// Gets an event and says whether its stream is wanted; the bytes of what is not count as skipped, and nothing else of it counts.
    typealias Judge = (TMF882xEvent) -> Bool

    /// `layout` is what every frame must have; with nil it is learned from what comes.
    init(layout: TMF882xLayout?) { results = TMF882xResults(layout: layout) }

    /// Every byte received is, after `finish` at the latest, in a frame, in a line of text, or skipped.
    var counters: StreamCounters { results.counters }
    var bytesInFrames: UInt64 { results.bytesInFrames }
    /// Known lines, empty ones, and rows of calibrations.
    var bytesInText: UInt64 { results.bytesInText }
    var layout: TMF882xLayout? { results.layout }

    mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, judge: Judge) {
        results.counters.bytesReceived += UInt64(chunk.count)
        results.arrival = arrival
        Self.push(chunk, through: &lines, to: &results, judge)
    }

    /// Apart from `self`: the lines are at work while the results take them.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, through lines: inout TMF882xLines, to results: inout TMF882xResults, _ judge: Judge
    ) {
        lines.push(chunk) { piece in
            switch piece {
            case .line(let line, let bytes): results.line(line, bytes, judge)
            case .overlong: results.overlongLine(judge)
            case .skipped(let bytes): results.counters.bytesSkipped += bytes
            }
        }
    }

    /// Bytes are missing between the last push and the next one: what was open is lost.
    mutating func lostBytes(judge: Judge) {
        results.counters.bytesSkipped += lines.drop()
        results.drop(.transferLost, judge)
    }

    /// No byte will come any more: the rest is skipped.
    mutating func finish() {
        results.counters.bytesSkipped += lines.drop()
        results.skipOpenBytes()
    }

    /// The board is told to measure: what comes from now on has this layout and begins with a result's first row.
    mutating func begin(_ layout: TMF882xLayout) { results.begin(layout) }

    // MARK: For tests and tools

    mutating func push(_ bytes: [UInt8], arrival: Arrival) -> [TMF882xEvent] {
        var events: [TMF882xEvent] = []
        bytes.withUnsafeBytes {
            push(
                $0, arrival: arrival,
                judge: { event in
                    events.append(event)
                    return true
                })
        }
        return events
    }
}
