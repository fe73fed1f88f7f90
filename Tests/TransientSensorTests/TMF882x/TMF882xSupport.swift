import Foundation
import NLOSCore

@testable import TransientSensor

/// A session and an emulated board talk, each on the board's own time.
struct TMF882xTalk {
    private(set) var frames: [FirmwareFrame] = []
    private(set) var faults: [FrameFault] = []
    private(set) var failure: SensorError?
    private(set) var gaps: [GapReason] = []
    private(set) var notices: [String] = []
    private(set) var log: [FirmwareLine] = []
    /// What the session sent, in order.
    private(set) var sent = ""
    /// Nanoseconds.
    private(set) var now: UInt64 = 0
    /// When each frame came.
    private(set) var times: [UInt64] = []
    var session: any FirmwareSession
    private(set) var board: SimulatedBoard
    private let profile: SensorProfile

    init(
        _ profile: SensorProfile, _ request: StreamRequest = .join, _ faults: [String] = [], scene: SimulatedScene = .matteWall,
        joining: Joining = .atReset, seconds: Double = 60, enough: Int = 5, _ change: (inout EmulationOptions) -> Void = { _ in }
    ) throws {
        self.profile = profile
        var options = EmulationOptions()
        change(&options)
        board = SimulatedBoard(
            profile, scene: scene, faults: try FaultSwitches(faults), options: options, seed: 8, startNs: 0, joining: joining)
        session = profile.session(request, at: SessionPlace(path: "sim:test"))
        var outputs: [SessionOutput] = []
        session.start(nowNs: 0) { outputs.append($0) }
        while now < UInt64(seconds * 1e9), failure == nil, frames.count < enough {
            for output in outputs { take(output) }
            outputs = []
            guard let next = [board.nextEventNs, session.deadlineNs].compactMap(\.self).min() else { break }
            now = max(now, next)
            board.advance(toNs: now) { bytes in
                session.push(bytes, Arrival(monotonicNs: now, unixMs: now / 1_000_000)) { outputs.append($0) }
            }
            if let due = session.deadlineNs, due <= now { session.tick(nowNs: now) { outputs.append($0) } }
        }
    }

    private mutating func take(_ output: SessionOutput) {
        switch output {
        case .frame(let frame):
            frames.append(frame)
            times.append(now)
        case .rejected(let fault): faults.append(fault)
        case .failed(let error): failure = error
        case .send(let bytes):
            sent += String(decoding: bytes, as: UTF8.self)
            board.receive(bytes, atNs: now)
        case .gap(let reason, _): gaps.append(reason)
        case .notice(let message): notices.append(message.text)
        case .log(let line): log.append(line)
        }
    }

    /// What frames are taken to see.
    var view: FieldOfView { session.fieldOfView ?? profile.fieldOfView }
    var shapes: Set<FrameShape> { Set(frames.map { FrameShape(zones: $0.zones, bins: $0.bins) }) }
}

/// What the sketches print, made without the emulator.
enum TMF882xLog {
    /// A frame whose numbers all differ in some digit: every channel, bin and plane.
    static func frame(_ layout: TMF882xLayout, seed: UInt64 = 1) -> FirmwareFrame {
        var random = SeededGenerator(seed: seed)
        var frame = FirmwareFrame(
            bins: layout.hasHistograms ? 128 : 0, ambient: Array(repeating: 0, count: layout.zones),
            distanceMm: (0..<layout.zones).map { Int64(500 + 10 * $0) },
            histogram: (0..<(layout.hasHistograms ? layout.zones * 128 : 0)).map { _ in Int64(random.next() >> (40 + random.next() % 24)) },
            arrival: Arrival(monotonicNs: 0, unixMs: 0))
        frame.confidence = (0..<layout.zones).map { $0 % 7 == 6 ? 0 : Int64(100 + $0) }
        if layout.hasHistograms {
            frame.reference = (0..<layout.capturesPerFrame * 128).map { _ in Int64(random.next() & 0xffff) }
        }
        frame.temperatureC = 31
        return frame
    }

    /// The lines of the frame's results. `number` is of the first of them.
    static func lines(_ frame: FirmwareFrame, _ layout: TMF882xLayout, number: Int, address: Int = 65) -> [String] {
        (0..<layout.resultsPerFrame).flatMap { part -> [String] in
            let captures = (0..<layout.capturesPerResult).map { part * layout.capturesPerResult + $0 }
            let rows = layout.hasHistograms ? captures.flatMap { self.rows(frame, layout, capture: $0, address: address) } : []
            return rows + [objects(frame, layout, captures, number: number + part, address: address)]
        }
    }

    private static func rows(_ frame: FirmwareFrame, _ layout: TMF882xLayout, capture: Int, address: Int) -> [String] {
        (0..<30).map { index in
            let (plane, channel) = index.quotientAndRemainder(dividingBy: 10)
            let counts: ArraySlice<Int64>
            if channel == 0 {
                counts = frame.reference![capture * 128..<capture * 128 + 128]
            } else if channel == 9, layout.side != 3 {
                counts = ArraySlice(repeating: 0, count: 128)
            } else {
                let zone = TMF882xModel.zone(side: layout.side, capture: capture, channel: channel)
                counts = frame.histogram[zone * 128..<zone * 128 + 128]
            }
            return (["#Raw", "\(address)", "\(index)"] + counts.map { "\($0 >> (8 * Int64(plane)) & 0xff)" }).joined(separator: ",")
        }
    }

    /// From one result to the next: 33 ms.
    static let ticks = 165_000

    private static func objects(
        _ frame: FirmwareFrame, _ layout: TMF882xLayout, _ captures: [Int], number: Int, address: Int
    ) -> String {
        var pairs = Array(repeating: "0,0", count: 36)
        for (place, capture) in captures.enumerated() {
            for channel in 1...(layout.side == 3 ? 9 : 8) {
                let zone = TMF882xModel.zone(side: layout.side, capture: capture, channel: channel)
                pairs[place * 9 + channel - 1] = "\(frame.distanceMm[zone]),\(frame.confidence![zone])"
            }
        }
        return "#Obj,\(address),\(number & 0xff),\(frame.temperatureC!),9,\(number * ticks)," + pairs.joined(separator: ",")
    }
}

extension TMF882xDecoder {
    /// All events of these bytes, to the end of the input.
    static func events(of bytes: [UInt8], _ layout: TMF882xLayout?, piece: Int = .max) -> (events: [TMF882xEvent], decoder: TMF882xDecoder)
    {
        var decoder = TMF882xDecoder(layout: layout)
        var events: [TMF882xEvent] = []
        for start in stride(from: 0, to: bytes.count, by: min(piece, max(1, bytes.count))) {
            events += decoder.push(
                Array(bytes[start..<min(start + min(piece, bytes.count), bytes.count)]), arrival: Arrival(monotonicNs: 0, unixMs: 0))
        }
        decoder.finish()
        return (events, decoder)
    }

    /// Every byte is in a frame, in text, or skipped.
    var accountsForAll: Bool { counters.bytesReceived == bytesInFrames + bytesInText + counters.bytesSkipped }
}

extension [TMF882xEvent] {
    /// Without the device's clock, which is not of the scene.
    var frames: [FirmwareFrame] {
        compactMap {
            guard case .frame(var frame) = $0 else { return nil }
            frame.deviceUs = nil
            return frame
        }
    }
    var faults: [FrameFault] { compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var missing: UInt64 { reduce(0) { if case .missing(let count) = $1 { $0 + count } else { $0 } } }
}

func bytes(of lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0a] } }
