// The enums that messages spell out, with their names as bytes.

extension FrameSource: JSONKey { static let table = JSONKeyTable<Self>() }
extension EvidenceLevel: JSONKey { static let table = JSONKeyTable<Self>() }
extension TransientKind: JSONKey { static let table = JSONKeyTable<Self>() }
extension Transport: JSONKey { static let table = JSONKeyTable<Self>() }
extension TrackState: JSONKey { static let table = JSONKeyTable<Self>() }
