// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "nlos-bridge",
    products: [
        .executable(name: "nlos-bridge", targets: ["bridge"]),
        .library(name: "NLOSCore", targets: ["NLOSCore"]),
        .library(name: "TransientSensor", targets: ["TransientSensor"]),
        .library(name: "DepthValidation", targets: ["DepthValidation"]),
        .library(name: "TrackMonitor", targets: ["TrackMonitor"]),
    ],
    targets: [
        // The C libraries: a module map and a shim header each, found by include path and linked by name.
        .systemLibrary(name: "CLibUSB"),
        .systemLibrary(name: "CLibUDev"),
        .systemLibrary(name: "CPcap"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CWslay"),
        // The rooms.
        // The standard library's square roots and roundings are libm's.
        .target(name: "NLOSCore", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "TransientSensor", dependencies: ["NLOSCore", "CLibUSB", "CLibUDev", "CPcap", "CLinux"],
            swiftSettings: strict),
        .target(name: "DepthValidation", dependencies: ["NLOSCore"], swiftSettings: strict),
        .target(name: "TrackMonitor", dependencies: ["NLOSCore", "COpenSSL", "CWslay", "CLinux"], swiftSettings: strict),
        .executableTarget(
            name: "bridge", dependencies: ["NLOSCore", "TransientSensor", "DepthValidation", "TrackMonitor", "CLinux", "COpenSSL"],
            swiftSettings: strict),
        // The tests.
        .testTarget(name: "NLOSCoreTests", dependencies: ["NLOSCore"], swiftSettings: strict),
        .testTarget(name: "TransientSensorTests", dependencies: ["TransientSensor", "NLOSCore", "CLinux"], swiftSettings: strict),
        .testTarget(name: "DepthValidationTests", dependencies: ["DepthValidation", "NLOSCore"], swiftSettings: strict),
        // A RuView server in Python, as a child process. Nothing of it is needed to build the program.
        .target(name: "TrackServerKit", dependencies: ["CLinux"], path: "Tests/TrackServerKit", swiftSettings: strict),
        .testTarget(
            name: "TrackMonitorTests", dependencies: ["TrackServerKit", "TrackMonitor", "NLOSCore", "CLinux"], swiftSettings: strict),
        .testTarget(
            name: "BridgeTests", dependencies: ["bridge", "TransientSensor", "DepthValidation", "TrackMonitor", "NLOSCore", "CLinux"],
            swiftSettings: strict),
        .testTarget(
            name: "ProgramTests", dependencies: ["TrackServerKit", "bridge", "TransientSensor", "NLOSCore", "CLinux"], swiftSettings: strict
        ),
        .testTarget(name: "PackagingTests", dependencies: ["bridge", "TransientSensor"], swiftSettings: strict),
        // Emulated boards under the real libusb and libudev. Nothing of it is needed to build the program.
        .systemLibrary(name: "CUMockdev", path: "Tests/CUMockdev"),
        .target(name: "BoardModels", path: "Tests/BoardModels", swiftSettings: strict),
        .target(
            name: "EmulatedUSB", dependencies: ["CUMockdev", "BoardModels"], path: "Tests/EmulatedUSB", exclude: ["README.md", "run"],
            swiftSettings: strict),
        .testTarget(
            name: "EmulatedUSBTests", dependencies: ["EmulatedUSB", "TransientSensor", "NLOSCore", "CLibUSB", "CLibUDev", "CLinux"],
            swiftSettings: strict),
    ]
)

// What only a developer builds: `scripts/bench` and `scripts/fuzz` ask for it, a normal build does not pay for it.
if Context.environment["NLOS_BENCH"] != nil {
    package.targets += [
        .target(name: "CAllocations", path: "Tests/Benchmarks/CAllocations"),
        .executableTarget(
            name: "bench", dependencies: ["NLOSCore", "TransientSensor", "DepthValidation", "CAllocations"], path: "Tests/Benchmarks",
            exclude: [
                "CAllocations", "alternatives.py", "decoder_reader.py", "mini_tof_reader.py", "monitor.py", "program.py",
                "tmf882x_reader.py", "validate.py",
            ],
            swiftSettings: strict),
    ]
}

// The board of `scripts/rig`, on a virtual USB host controller.
if Context.environment["NLOS_RIG"] != nil {
    package.targets += [
        .executableTarget(
            name: "rig-board", dependencies: ["BoardModels", "NLOSCore", "TransientSensor"], path: "hardware/rig/board",
            swiftSettings: strict)
    ]
}

// libFuzzer brings the `main` of these.
if Context.environment["NLOS_FUZZ"] != nil {
    let targets = ["JSON", "Transient", "Pcap", "VL53L8CH", "TMF882x", "MiniTof", "Depz", "Track", "Authenticated", "Endpoint", "Upgrade"]
    package.targets += targets.map { name in
        .executableTarget(
            name: "fuzz-\(name.lowercased())", dependencies: ["NLOSCore", "TransientSensor", "TrackMonitor"],
            path: "Tests/Fuzz/\(name)", exclude: ["Corpus"], swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    }
}
