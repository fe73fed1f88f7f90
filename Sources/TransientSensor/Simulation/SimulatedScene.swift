import Glibc

/// What a simulated board looks at.
public struct SimulatedScene: Sendable {
    enum Content: Sendable {
        case wall(Wall)
        case recorded([FirmwareFrame])
    }

    /// What follows `sim:`.
    public let name: String
    let content: Content

    /// A still matte grey wall, slightly tilted, 1.2 m away.
    public static let matteWall = SimulatedScene(name: "matte-wall", content: .wall(Wall()))

    /// The same wall, and an object that the sensor cannot see, moving slowly, whose third bounce returns weakly and later.
    public static let hiddenTarget = SimulatedScene(
        name: "hidden-target", content: .wall(Wall(hiddenObject: HiddenObject())))

    /// A dark wall far away: returns so weak that many zones have no distance (printed as 0).
    public static let darkWall = SimulatedScene(
        name: "dark-wall", content: .wall(Wall(distanceM: 2.4, reflectivity: 0.026, patchiness: 0.8)))

    /// A wall that comes and goes at 5 to 15 cm/s.
    public static let moving = SimulatedScene(name: "moving", content: .wall(Wall(distanceM: 0.9, sweepM: 0.9)))

    /// A dark wall 30 cm away: nearer than a validation takes.
    public static let nearWall = SimulatedScene(name: "near-wall", content: .wall(Wall(distanceM: 0.3, reflectivity: 0.02)))

    /// The corner of a room, looked into: two walls that meet 1.4 m away, and no plane.
    public static let corner = SimulatedScene(name: "corner", content: .wall(Wall(distanceM: 1.4, foldX: 1)))

    /// Frames given number by number, printed in order and again from the first, whatever shape was configured.
    public static func recorded(_ frames: [FirmwareFrame]) -> SimulatedScene {
        precondition(!frames.isEmpty, "a recorded scene needs a frame to print")
        return SimulatedScene(name: "recorded", content: .recorded(frames))
    }

    /// Every scene that has a name on the command line.
    public static let all: [SimulatedScene] = [.matteWall, .hiddenTarget, .darkWall, .moving, .nearWall, .corner]

    public static func named(_ name: String) throws(UnknownScene) -> SimulatedScene {
        guard let scene = all.first(where: { $0.name == name }) else { throw UnknownScene(name: name) }
        return scene
    }
}

/// No simulated sensor has this name.
public struct UnknownScene: Error, Equatable, Sendable {
    public let name: String
    /// The names that exist.
    public var known: [String] { SimulatedScene.all.map(\.name) }
}

/// A plane in front of the sensor, in the sensor's frame: x along columns, y along rows, z along the optical axis.
struct Wall: Sendable {
    /// Along the axis, metres, at time 0.
    var distanceM = 1.2
    /// The wall goes this much further and back again; 0 for a still wall.
    var sweepM = 0.0
    /// Metres deeper per metre sideways and per metre down.
    var slopeX = 0.04
    var slopeY = -0.02
    /// Metres nearer per metre to either side of the axis: 1 is a right angle between two walls, 0 is one wall.
    var foldX = 0.0
    /// 0 ... 1; grey, so that no histogram passes 65,535 by itself.
    var reflectivity = 0.25
    /// How unevenly zones reflect, 0 (not at all) ... 1.
    var patchiness = 0.0
    /// Printed units.
    var ambient = 2_400.0
    var hiddenObject: HiddenObject?

    /// Distance along the axis. A sweep's speed swings between 5 and 15 cm/s in 7 s.
    func distanceM(atSeconds time: Double) -> Double {
        guard sweepM > 0 else { return distanceM }
        let turn = 2 * Double.pi / 7
        let way = (0.10 * time + 0.05 / turn * sin(turn * time)).truncatingRemainder(dividingBy: 2 * sweepM)
        return distanceM + min(way, 2 * sweepM - way)
    }

    /// What comes back to one zone. `tanX` and `tanY` are the slopes of its ray.
    func light(tanX: Double, tanY: Double, patch: Double, atSeconds time: Double) -> ZoneLight {
        let slopeX = slopeX - (tanX < 0 ? -foldX : foldX)
        let depth = distanceM(atSeconds: time) / (1 - slopeX * tanX - slopeY * tanY)
        let ray = (1 + tanX * tanX + tanY * tanY).squareRoot()
        let radial = depth * ray
        // Lambert's cosine against the wall's normal (-slopeX, -slopeY, 1).
        let cosine =
            (1 - slopeX * tanX - slopeY * tanY) / (ray * (1 + slopeX * slopeX + slopeY * slopeY).squareRoot())
        let albedo = reflectivity * (1 + patchiness * (2 * patch - 1))
        let direct = ZoneLight.unitPeak * albedo * cosine / (radial * radial)
        let echo = hiddenObject.map { object in
            let leg = object.distanceM(fromX: depth * tanX, y: depth * tanY, z: depth, atSeconds: time)
            return (radialM: radial + leg, peak: direct * object.strength / (leg * leg))
        }
        return ZoneLight(axialM: depth, radialM: radial, peak: direct, echo: echo, ambient: ambient)
    }
}

/// Something outside the field of view, in front of the wall, that only the wall's scattered light reaches.
struct HiddenObject: Sendable {
    /// Share of the direct return that comes back from an object 1 m away from the wall point.
    var strength = 0.03

    /// From a wall point to the object, which swings 25 cm about (0.9, 0, 0.7) m in 20 s.
    func distanceM(fromX x: Double, y: Double, z: Double, atSeconds time: Double) -> Double {
        let phase = time * 2 * Double.pi / 20
        let dx = 0.9 + 0.25 * sin(phase) - x
        let dz = 0.7 + 0.10 * cos(phase) - z
        return (dx * dx + y * y + dz * dz).squareRoot()
    }
}

/// The light of one zone.
struct ZoneLight: Sendable {
    /// Printed value at the pulse's peak for a white wall, square on, 1 m away: a real board's brightest bin is 27,047, at 1.8 m.
    static let unitPeak = 100_000.0

    /// Perpendicular to the sensor's plane: what the chip calls the distance.
    var axialM: Double
    /// Along the ray: where the histogram's peak is.
    var radialM: Double
    /// Printed units at the pulse's top.
    var peak: Double
    var echo: (radialM: Double, peak: Double)?
    var ambient: Double
}
