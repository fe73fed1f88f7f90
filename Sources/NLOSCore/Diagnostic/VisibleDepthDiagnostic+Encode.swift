extension VisibleDepthDiagnostic {
    /// The diagnostic as the file has it: UTF-8, keys in order, no line feed. Throws when the independent check finds fault with it,
    /// which would be a mistake in this program.
    public func encoded() throws(DiagnosticRefusal) -> [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        try DiagnosticCheck.check(json.bytes)
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("bridgeVersion", bridgeVersion.text)
        json.key("capabilities")
        capabilities.write(to: &json)
        json.member("completionStatus", outcome.status.rawValue)
        json.key("consent")
        consent.write(to: &json)
        json.member("createdAt", utcTime(unixMs: createdAtUnixMs))
        json.member("evidenceLabel", "direct_depth")
        if let reason = outcome.reason { json.member("failureReason", reason.text) }
        json.member("osVersion", system.text)
        json.key("phases")
        json.beginArray()
        for phase in outcome.phases { phase.write(to: &json) }
        json.endArray()
        // This path is given no transients, whatever the sensor has.
        json.member("physicalNLOSStatus", "blocked_raw_transients_unavailable")
        json.member("schema", "ruview.bridge.visible-depth-diagnostic.v1")
        json.member("sensorModelFamily", sensorModelFamily)
        json.member("sessionId", session.text)
        json.member("usbPermission", permission.rawValue)
        json.endObject()
    }
}

extension VisibleDepthDiagnostic.Capabilities {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("compactNormalizedHistogram", histogram == .compactNormalized)
        json.member("rawHistogram", histogram == .raw)
        json.member("sensorPose", false)
        json.member("sensorTemperature", sensorTemperature)
        json.member("visibleDepth", true)
        json.endObject()
    }
}

extension VisibleDepthDiagnostic.Consent {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("diagnosticExport", diagnosticExport)
        json.member("localValidation", localValidation)
        json.member("rawSensorExport", false)
        json.endObject()
    }
}

extension PhaseReport {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("averageDepthCoverage", coverage)
        json.member("averageFPS", framesPerSecond)
        json.member("averageMovementMetersPerSecond", movement)
        if case .depthNoiseMm(let noise) = measure { json.member("depthNoiseMillimeters", noise) }
        json.member("finalTrackingState", finalTracking.rawValue)
        json.member("frameCount", frames)
        json.member("observedDurationSeconds", observed)
        json.member("peakThermalState", peakThermal.rawValue)
        json.member("phase", phase.rawValue)
        json.member("plannedDurationSeconds", planned)
        if case .steadyWallShare(let share) = measure { json.member("steadyWallShare", share) }
        json.endObject()
    }
}
