// Measures the hot paths: one word picks which. Built only with NLOS_BENCH in the environment (see Package.swift).

let benchmarks: [(name: String, run: ([String]) -> Void)] = [
    ("codec", benchmarkCodec), ("decoder", benchmarkDecoder), ("depth", benchmarkDepth), ("depz", benchmarkDepz),
    ("mini-tof", benchmarkMiniTof), ("tmf882x", benchmarkTMF882x),
    ("tracks", benchmarkTracks),
]

let arguments = Array(CommandLine.arguments.dropFirst())
guard let name = arguments.first, let benchmark = benchmarks.first(where: { $0.name == name }) else {
    fatalError("usage: bench \(benchmarks.map(\.name).joined(separator: "|")) [ARGUMENT ...]")
}
benchmark.run(Array(arguments.dropFirst()))
