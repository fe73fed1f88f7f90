internal import NLOSCore

/// Bringing a configuration into force, and noticing when it no longer is.
extension VL53L8CHConversation {
    enum Phase: Equatable {
        /// Until the board is seen to run: what is sent must not meet a board that is starting up.
        case listening(then: Then, untilNs: UInt64)
        /// The next piece of the packet, and when it is due.
        case sending(piece: Int, atNs: UInt64)
        /// All is sent; what the board has shown of its effect, and until when it must show more.
        case awaiting(Progress, resolutionByNs: UInt64, effectByNs: UInt64)
        /// The receiver is out of step: zeros until it complains. Sent so far, when last, and when to give up.
        case realigning(sent: Int, lastNs: UInt64, untilNs: UInt64)
        /// Frames are of this session.
        case inForce
        case over
    }

    enum Then {
        case configure, realign
    }

    enum Progress {
        case nothing, applying, resolved
    }

    var phaseDeadlineNs: UInt64? {
        switch phase {
        case .listening(_, let untilNs): isQuiet ? min(untilNs, startNs + VL53L8CHLimits.quiet) : untilNs
        case .sending(_, let atNs): atNs
        case .awaiting(.nothing, let resolutionByNs, _): resolutionByNs
        case .awaiting(_, _, let effectByNs): effectByNs
        case .realigning(_, _, let untilNs): untilNs
        case .inForce, .over: nil
        }
    }

    mutating func phaseDue(_ now: UInt64, _ emit: Emit) {
        switch phase {
        // Not even its own default comes into force.
        case .listening where lastErrorLine != nil && !realigned: fail(.sensorMissing(path: path, line: lastErrorLine ?? ""), emit)
        case .listening(.configure, _) where !realigned: send(now, emit)
        case .sending(let piece, _): sendPiece(piece, now, emit)
        case .awaiting(.nothing, _, _) where !realigned:
            startRealigning(emit)
            sendZero(0, now, emit)
        case .listening, .awaiting, .realigning: fail(.receiverMisaligned(path: path), emit)
        case .inForce, .over: break
        }
    }

    /// A frame began after whatever was printed last: the board is up and runs a configuration, ours or not.
    mutating func boardRuns(_ now: UInt64, _ emit: Emit) {
        switch phase {
        case .listening(.configure, _): send(now, emit)
        case .listening(.realign, _): sendZero(0, now, emit)
        // The line that says so was damaged.
        case .awaiting(.applying, _, _), .awaiting(.resolved, _, _): cameIntoForce()
        // The board still streams, so the zero before this one did not complete a packet.
        case .realigning(let sent, let lastNs, _) where now >= lastNs + VL53L8CHLimits.realignPause: sendZero(sent, now, emit)
        case .sending, .awaiting, .realigning, .inForce, .over: break
        }
    }
}

// MARK: Sending

extension VL53L8CHConversation {
    private mutating func send(_ now: UInt64, _ emit: Emit) {
        lastErrorLine = nil
        sendPiece(0, now, emit)
    }

    /// Eight bytes a time, a little apart: the board takes each byte by an interrupt and has no queue.
    private mutating func sendPiece(_ piece: Int, _ now: UInt64, _ emit: Emit) {
        guard let packet = asked?.packet else { return }
        let start = piece * VL53L8CHLimits.pieceBytes
        let end = min(start + VL53L8CHLimits.pieceBytes, packet.count)
        phase =
            end < packet.count
            ? .sending(piece: piece + 1, atNs: now + VL53L8CHLimits.betweenPieces)
            : .awaiting(.nothing, resolutionByNs: now + VL53L8CHLimits.resolution, effectByNs: now + VL53L8CHLimits.effect)
        emit(.send(Array(packet[start..<end])))
    }

    private mutating func startRealigning(_ emit: Emit) {
        realigned = true
        emit(.notice(Message(text: "\(path): the board's receiver is out of step; realigning it")))
    }

    /// One zero a frame at most, and only while frames come: the zero that completes a packet stops them, and one more would be the
    /// first byte of the next packet.
    private mutating func sendZero(_ sent: Int, _ now: UInt64, _ emit: Emit) {
        guard sent < VL53L8CHLimits.realignBytes else { return fail(.receiverMisaligned(path: path), emit) }
        phase = .realigning(sent: sent + 1, lastNs: now, untilNs: now + VL53L8CHLimits.resolution)
        emit(.send([0]))
    }
}

// MARK: What the board says

extension VL53L8CHConversation {
    mutating func heardApplying(_ now: UInt64, _ emit: Emit) {
        switch phase {
        case .awaiting(_, let resolutionByNs, let effectByNs):
            phase = .awaiting(.applying, resolutionByNs: resolutionByNs, effectByNs: effectByNs)
        // Its own start with the words before lost, or stray bytes that made a packet.
        case .inForce where asked != nil: lostConfiguration(now, emit)
        case .inForce where streams && !runsDefault:
            emit(.notice(Message(text: "\(path): somebody configured the board while it was streaming")))
        case .realigning: awaitRun(then: .configure, now)
        case .listening, .sending, .inForce, .over: break
        }
    }

    mutating func heardResolution(_ zones: Int, _ now: UInt64, _ emit: Emit) {
        guard let asked, case .awaiting(_, let resolutionByNs, let effectByNs) = phase else { return }
        if zones == asked.grid.zones {
            phase = .awaiting(.resolved, resolutionByNs: resolutionByNs, effectByNs: effectByNs)
        } else if VL53L8CHConfiguration.Grid(rawValue: zones) == nil {
            readOutOfStep(now, emit)
        } else {
            emit(.notice(Message(text: "\(path): the board applied \(zones) zones, \(asked.grid.zones) were asked")))
            fail(.configurationRefused(path: path, line: "Resolution: \(zones)"), emit)
        }
    }

    mutating func heardApplied() {
        if case .awaiting = phase { cameIntoForce() }
    }

    /// An error line that is not the end of everything.
    mutating func heardError(_ line: String, _ now: UInt64, _ emit: Emit) {
        lastErrorLine = line
        switch phase {
        case .realigning: awaitRun(then: .configure, now)
        // 16 and 64 are never refused.
        case .sending, .awaiting:
            if line.contains("vl53lmz_set_resolution") {
                readOutOfStep(now, emit)
            } else {
                fail(.configurationRefused(path: path, line: line), emit)
            }
        case .listening, .inForce, .over: break
        }
    }

    /// The banner, or a ready line that no banner announced.
    mutating func heardRestart(_ line: String, isBanner: Bool, _ now: UInt64, _ emit: Emit) {
        switch phase {
        case .inForce where asked != nil: lostConfiguration(now, emit)
        case .inForce:
            watch.boardStarted(now)
            if streams { emit(.gap(.boardReset, atMonotonicNs: now)) }
        case .realigning: awaitRun(then: .configure, now)
        // Somebody pressed the button. Without a banner it is what the firmware does after it refused a packet.
        case .sending, .awaiting:
            guard isBanner, !restarted else { return fail(.configurationRefused(path: path, line: line), emit) }
            restarted = true
            awaitRun(then: .configure, now)
        case .listening, .over: break
        }
    }

    /// What the board took for the resolution was another part of the packet; it refuses it, restarts, and keeps what was left over.
    private mutating func readOutOfStep(_ now: UInt64, _ emit: Emit) {
        guard !realigned else { return fail(.receiverMisaligned(path: path), emit) }
        startRealigning(emit)
        awaitRun(then: .realign, now)
    }

    /// What was in force no longer is; it is sent again as soon as the board runs. Until then no frame is of this session.
    mutating func lostConfiguration(_ now: UInt64, _ emit: Emit) {
        if streams { emit(.gap(.boardReset, atMonotonicNs: now)) }
        emit(.notice(Message(text: "\(path): the board lost its configuration; sending it again")))
        lastErrorLine = nil
        restarted = true
        awaitRun(then: .configure, now)
    }

    private mutating func awaitRun(then: Then, _ now: UInt64) {
        phase = .listening(then: then, untilNs: now + VL53L8CHLimits.effect)
    }

    private mutating func cameIntoForce() {
        phase = .inForce
        watch = FrameWatch()
        everInForce = true
        realigned = false
        restarted = false
    }
}
