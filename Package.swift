// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "nlos-bridge",
    products: [
        .executable(name: "nlos-bridge", targets: ["bridge"]),
        .library(name: "NLOSCore", targets: ["NLOSCore"]),
        .library(name: "TransientSensor", targets: ["TransientSensor"]),
    ],
    targets: [
        // The C libraries: a module map and a shim header each, found by include path and linked by name.
        .systemLibrary(name: "CLibUSB"),
        .systemLibrary(name: "CLibUDev"),
        .systemLibrary(name: "CPcap"),
        .systemLibrary(name: "CLinux"),
        // The rooms.
        // The standard library's square roots and roundings are libm's.
        .target(name: "NLOSCore", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "TransientSensor", dependencies: ["NLOSCore", "CLibUSB", "CLibUDev", "CPcap", "CLinux"],
            swiftSettings: strict),
        .executableTarget(name: "bridge", dependencies: ["NLOSCore", "TransientSensor", "CLinux"], swiftSettings: strict),
        // The tests.
        .testTarget(name: "NLOSCoreTests", dependencies: ["NLOSCore"], swiftSettings: strict),
        .testTarget(name: "TransientSensorTests", dependencies: ["TransientSensor", "NLOSCore"], swiftSettings: strict),
    ]
)

if Context.environment["NLOS_FUZZ"] != nil {
    package.targets += [
        .executableTarget(
            name: "fuzz-vl53l8ch", dependencies: ["TransientSensor"], path: "Tests/Fuzz/VL53L8CH", exclude: ["Corpus"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    ]
}
