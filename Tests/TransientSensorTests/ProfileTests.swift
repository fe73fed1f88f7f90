import Testing
import TransientSensor

@Test func profileNamesAreUnique() {
    #expect(Set(SensorProfile.all.map(\.name)).count == SensorProfile.all.count)
}
