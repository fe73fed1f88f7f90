internal import NLOSCore

/// One request after the other, each after the answer to the one before.
extension DepzConversation {
    enum Phase: Equatable {
        case asking(Request, untilNs: UInt64)
        /// Everything has been asked; whether the stream flows already is seen until then. In a recording: whether there are answers.
        case listening(untilNs: UInt64)
        /// The board has been told to stream.
        case awaitingFrame(untilNs: UInt64)
        case streaming
        /// The stream has fallen silent and was started again.
        case restarting(untilNs: UInt64)
    }

    enum AfterStop {
        case questions, start
    }

    enum Request: Equatable {
        /// Name, software, serial number.
        case text(UInt8)
        /// Before the sensor is asked, or before it is started with another frame size.
        case stop(then: AfterStop)
        case question(DepzSetting)
        case readiness(DepzSetting, left: Int)
        case answer(DepzSetting)
        case start

        var id: UInt8 {
            switch self {
            case .text(let id): id
            case .stop: DepzId.stopStream
            case .question: DepzId.writeRegisters
            case .readiness, .answer: DepzId.readRegisters
            case .start: DepzId.startStream
            }
        }
    }

    /// What undoes what this session has started, or has paused.
    var farewell: [UInt8] {
        switch owner.farewell {
        case .nothing: []
        case .stop: DepzPacket.bytes(id: DepzId.stopStream, sequence: sequence)
        case .start:
            DepzPacket.bytes(
                id: DepzId.startStream, sequence: sequence, payload: DepzSetting.littleEndian(UInt16(joinedFrameBytes ?? frameBytes)))
        }
    }

    var phaseDeadlineNs: UInt64? {
        switch phase {
        case .asking(_, let untilNs), .listening(let untilNs), .awaitingFrame(let untilNs), .restarting(let untilNs): untilNs
        case .streaming: nil
        }
    }

    mutating func ask(_ request: Request, _ now: UInt64, _ emit: Emit) {
        phase = .asking(request, untilNs: now + DepzLimits.answer)
        switch request {
        case .stop: owner.stopIsSent()
        case .start: owner.startIsSent()
        case .text, .question, .readiness, .answer: break
        }
        send(request, emit)
    }

    private mutating func send(_ request: Request, _ emit: Emit) {
        let payload: [UInt8] =
            switch request {
            case .text, .stop: []
            case .question(let setting): setting.question
            case .readiness: DepzSetting.readinessRequest
            case .answer(let setting): setting.answerRequest
            case .start: DepzSetting.littleEndian(UInt16(frameBytes))
            }
        emit(.send(DepzPacket.bytes(id: request.id, sequence: sequence, payload: payload)))
        sequence &+= 1
    }

    // MARK: Answers

    mutating func answered(_ reply: DepzReply, _ now: UInt64, _ emit: Emit) {
        if case .status(DepzId.startStream, let code) = reply { owner.startIsAnswered(code) }
        if case .restarting = phase, case .status(DepzId.startStream, let code) = reply {
            startAnswered(code, now, emit)
        }
        // What the session that made the recording has waited for.
        if isRecorded, case .listening = phase, case .status(DepzId.startStream, _) = reply { phase = .streaming }
        guard case .asking(let request, _) = phase else { return }
        switch (request, reply) {
        case (.text(let asked), .text(let command, _)) where command == asked: afterText(asked, now, emit)
        case (.start, .status(DepzId.startStream, let code)): startAnswered(code, now, emit)
        case (.stop(let next), .status(DepzId.stopStream, _)): afterStop(next, now, emit)
        case (.question(let setting), .status(DepzId.writeRegisters, DepzStatus.ok)):
            ask(.readiness(setting, left: DepzLimits.polls), now, emit)
        case (.readiness(let setting, let left), .registers(let answer)): readinessCame(setting, left, answer, now, emit)
        case (.answer(let setting), .registers(let answer)):
            if setting == .frameSize, let size = DepzSetting.frameSize(in: answer) { frameBytes = size }
            after(setting, now, emit)
        case (_, .status(request.id, DepzStatus.notInitialised)): notRunning(DepzStatus.words(DepzStatus.notInitialised), emit)
        case (_, .status(request.id, let code)) where code != DepzStatus.ok: unanswered(request, now, emit)
        default: break
        }
    }

    /// No answer, or none of use: the session goes on without.
    private mutating func unanswered(_ request: Request, _ now: UInt64, _ emit: Emit) {
        switch request {
        case .text(let id): afterText(id, now, emit)
        case .stop(let next): afterStop(next, now, emit)
        case .question(let setting), .readiness(let setting, _), .answer(let setting): after(setting, now, emit)
        case .start: phase = .awaitingFrame(untilNs: now + DepzLimits.firstFrame)
        }
    }

    private mutating func afterText(_ id: UInt8, _ now: UInt64, _ emit: Emit) {
        switch id {
        case DepzId.deviceName: ask(.text(DepzId.software), now, emit)
        case DepzId.software: ask(.text(DepzId.serialNumber), now, emit)
        default:
            phase = .listening(untilNs: max(now, startNs + DepzLimits.flows))
            if owner.isJoined { flows(now, emit) }
        }
    }

    /// The stream flows without having been started.
    private mutating func flows(_ now: UInt64, _ emit: Emit) {
        if asksForHistograms { ask(.stop(then: .questions), now, emit) } else { phase = .streaming }
    }

    private mutating func afterStop(_ next: AfterStop, _ now: UInt64, _ emit: Emit) {
        ask(next == .start ? .start : .question(.histogram), now, emit)
    }

    private mutating func readinessCame(_ setting: DepzSetting, _ left: Int, _ answer: [UInt8], _ now: UInt64, _ emit: Emit) {
        switch DepzSetting.readiness(answer) {
        case .ready: ask(.answer(setting), now, emit)
        case .waiting where left > 1: ask(.readiness(setting, left: left - 1), now, emit)
        case .waiting, .failed: after(setting, now, emit)
        }
    }

    private mutating func after(_ setting: DepzSetting, _ now: UInt64, _ emit: Emit) {
        ask(setting == .histogram ? .question(.frameSize) : .start, now, emit)
    }

    private mutating func startAnswered(_ code: UInt8, _ now: UInt64, _ emit: Emit) {
        switch code {
        case DepzStatus.ok:
            hasStarted = true
            phase = patience.streams ? .streaming : .awaitingFrame(untilNs: now + DepzLimits.firstFrame)
        // It streams already.
        case DepzStatus.busy: phase = .awaitingFrame(untilNs: now + DepzLimits.firstFrame)
        default: notRunning("the board refuses to stream (\(DepzStatus.words(code)))", emit)
        }
    }

    private mutating func notRunning(_ line: String, _ emit: Emit) { patience.fail(.sensorNotRunning(path: path, line: line), emit) }

    // MARK: Time

    mutating func phaseDue(_ now: UInt64, _ emit: Emit) {
        switch phase {
        case .asking(let request, _): unanswered(request, now, emit)
        case .listening where isRecorded:
            let answersByNs = startNs + DepzLimits.recordedAnswers
            phase = answersQuestions && now < answersByNs ? .listening(untilNs: answersByNs) : .streaming
        case .listening where owner.isJoined: flows(now, emit)
        case .listening: ask(.question(asksForHistograms ? .histogram : .frameSize), now, emit)
        case .awaitingFrame:
            // A line without a word is silent; that is told by itself, and says more.
            if firmwareVersion != nil { notRunning("the stream was started and no frame came", emit) } else { phase = .streaming }
        case .restarting: phase = .streaming
        case .streaming: break
        }
    }

    /// The stream has stopped without a word: a board that was reset waits to be told.
    mutating func restart(_ decoder: DepzDecoder, _ now: UInt64, _ emit: Emit) {
        frameBytes = decoder.otherSize ?? decoder.resultBytes ?? frameBytes
        restartAtNs = now + 2 * DepzLimits.silence
        phase = .restarting(untilNs: now + DepzLimits.answer)
        owner.startIsSent(afterSilence: true)
        send(.start, emit)
    }

    /// A frame has shown how long the sensor's frames are, and the board cuts them elsewhere.
    mutating func correctSize(to size: Int, _ now: UInt64, _ emit: Emit) {
        guard !isRecorded, !sizeCorrected, hasStarted, size != frameBytes, size <= DepzAssembly.mostBytes else { return }
        sizeCorrected = true
        frameBytes = size
        emit(.notice(Message(text: "\(path): the sensor's frames have \(size) bytes; started anew with that")))
        ask(.stop(then: .start), now, emit)
    }
}
