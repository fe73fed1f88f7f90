extension SensorPose {
    /// Reads `{"translationM":{"x":…,"y":…,"z":…},"quaternionXyzw":[…,…,…,…]}`, the form a pose has in a transient frame.
    ///
    /// Throws `malformed` for anything else, and `invalidField("sensorPose")` for numbers that are no pose.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(Rejection) -> SensorPose {
        let pose = try JSONReader.read(bytes, atMost: TransientFrame.longestLine) { json throws(MalformedJSON) in try json.pose() }
        guard let pose else { throw .invalidField("sensorPose") }
        return pose
    }
}
