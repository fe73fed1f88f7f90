extension [Double] {
    /// The median of the first `count` values, which are put in order on the way; 0 for none. Without memory of its own: an insertion
    /// sort, for the 64 values of a frame at most.
    mutating func medianOfFirst(_ count: Int) -> Double {
        guard count > 0 else { return 0 }
        for next in 1..<Swift.max(1, count) {
            let value = self[next]
            var place = next
            while place > 0, self[place - 1] > value {
                self[place] = self[place - 1]
                place -= 1
            }
            self[place] = value
        }
        return (self[(count - 1) / 2] + self[count / 2]) / 2
    }
}
