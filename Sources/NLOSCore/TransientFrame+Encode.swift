extension TransientFrame {
    /// Writes the frame as one object of `ruview.nlos.transient.v1`, keys in the contract's order, without a line feed.
    ///
    /// Numbers stand as they are in the frame: integers as integers, single-precision values as the shortest decimal that reads
    /// back to the same `Float`.
    public func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("schema")
        json.value(Self.schema)
        json.key("sessionId")
        json.value(sessionId.text)
        json.key("sequence")
        json.value(sequence)
        json.key("capturedAtUnixMs")
        json.value(capturedAtUnixMs)
        json.key("monotonicNs")
        json.value(monotonicNs)
        json.key("source")
        json.value(evidence.source.rawValue)
        json.key("evidenceLevel")
        json.value(evidence.level.rawValue)
        json.key("binWidthPs")
        json.value(binWidthPs)
        json.key("startBin")
        json.value(startBin)
        json.key("sensorPose")
        pose.encode(into: &json)
        json.key("calibrationHash")
        json.value(evidence.calibrationHash.text)
        json.key("provenance")
        encodeProvenance(into: &json)
        json.key("zones")
        zones.encode(into: &json)
        json.endObject()
    }

    private func encodeProvenance(into json: inout JSONWriter) {
        json.beginObject()
        json.key("sensorId")
        json.value(sensor.sensorId.text)
        json.key("sensorModel")
        json.value(sensor.sensorModel.text)
        json.key("firmwareVersion")
        json.value(sensor.firmwareVersion.text)
        json.key("transientKind")
        json.value(evidence.kind.rawValue)
        json.key("histogramPreserved")
        json.value(evidence.histogramPreserved)
        json.key("transport")
        json.value(evidence.transport.rawValue)
        json.endObject()
    }
}

extension Vector3 {
    @inline(__always)
    func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("x")
        json.value(x)
        json.key("y")
        json.value(y)
        json.key("z")
        json.value(z)
        json.endObject()
    }
}

extension SensorPose {
    fileprivate func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("translationM")
        translationM.encode(into: &json)
        json.key("quaternionXyzw")
        json.beginArray()
        for index in quaternionXyzw.indices { json.value(quaternionXyzw[index]) }
        json.endArray()
        json.endObject()
    }
}

extension TransientZones {
    fileprivate func encode(into json: inout JSONWriter) {
        let histograms = histograms.span
        json.beginArray()
        for zone in 0..<count {
            json.beginObject()
            json.key("zoneId")
            json.value(zone)
            json.key("wallPointM")
            wallPointsM[zone].encode(into: &json)
            json.key("distanceM")
            json.value(distancesM[zone])
            json.key("ambient")
            json.value(ambient[zone])
            json.key("histogram")
            json.value(histograms.extracting(zone * bins..<(zone + 1) * bins))
            json.endObject()
        }
        json.endArray()
    }
}
