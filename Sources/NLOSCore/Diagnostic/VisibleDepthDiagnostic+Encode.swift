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
        json.member("visibleDepth", visibleDepth)
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

extension PhaseSummary {
    /// Digits beyond those that mean something are left away.
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("averageDepthCoverage", rounded(averageDepthCoverage, 10_000))
        json.member("averageFPS", rounded(averageFPS, 1_000))
        json.member("averageMovementMetersPerSecond", rounded(averageMovementMetersPerSecond, 10_000))
        if phase == .calibration { json.member("depthNoiseMillimeters", rounded(depthNoiseMillimeters ?? 0, 100)) }
        json.member("finalTrackingState", finalTrackingState.rawValue)
        json.member("frameCount", frameCount)
        json.member("observedDurationSeconds", rounded(observedDurationSeconds, 1_000))
        json.member("peakThermalState", peakThermalState.rawValue)
        json.member("phase", phase.rawValue)
        json.member("plannedDurationSeconds", rounded(plannedDurationSeconds, 1_000))
        if phase == .wallScan { json.member("steadyWallShare", rounded(steadyWallShare ?? 0, 10_000)) }
        json.endObject()
    }

    private func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }
}
