extension JSONReader {
    /// An integer spelled `0` or `[1-9][0-9]*`; nil when it is one but does not fit in 64 bits.
    ///
    /// A sign, a fraction or an exponent is malformed. A leading zero is too: the digit behind it is not what may follow a value.
    @inline(__always)
    mutating func unsigned() throws(MalformedJSON) -> UInt64? {
        skipSpace()
        guard var value = digit() else { throw MalformedJSON() }
        guard value > 0 else { return 0 }
        while let digit = digit() {
            let (tens, tooMany) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooMuch) = tens.addingReportingOverflow(digit)
            guard !tooMany, !tooMuch else { return try unsignedOverflow() }
            value = sum
        }
        return value
    }

    private mutating func unsignedOverflow() throws(MalformedJSON) -> UInt64? {
        while digit() != nil {}
        return nil
    }

    /// A number, rounded to the nearest `Double`. One that overflows to infinity is malformed.
    mutating func double() throws(MalformedJSON) -> Double {
        guard let number = try decimal().nearestDouble else { throw MalformedJSON() }
        return number
    }

    /// A number, rounded once to the nearest `Float`. One that overflows to infinity is malformed.
    @inline(__always)
    mutating func float() throws(MalformedJSON) -> Float {
        let decimal = try decimal()
        guard let number = decimal.float ?? Float(decimal.spelling), number.isFinite else { throw MalformedJSON() }
        return number
    }

    /// An array of integers up to 65,535, straight to where they are wanted.
    ///
    /// `take` gets each value in order, and nil for an integer above the range.
    @inline(__always)
    mutating func smallIntegers(_ take: (UInt16?) -> Void) throws(MalformedJSON) {
        var elements = try array()
        while try elements.next(&self) { take(try unsigned().flatMap { UInt16(exactly: $0) }) }
    }

    /// Reads the digit that follows, if one does.
    @inline(__always)
    private mutating func digit() -> UInt64? {
        guard next < end else { return nil }
        let digit = next.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        next += 1
        return UInt64(digit)
    }

    /// Reads a number of the JSON grammar.
    @inline(__always)
    mutating func decimal() throws(MalformedJSON) -> DecimalNumber {
        skipSpace()
        let start = next
        var decimal = DecimalNumber()
        if next < end, next.pointee == UInt8(ascii: "-") {
            decimal.isNegative = true
            next += 1
        }
        if next < end, next.pointee == UInt8(ascii: "0") {
            // Nothing may follow a leading zero, and nothing is what it adds.
            next += 1
        } else {
            // Few digits stand before the point.
            guard let first = digit() else { throw MalformedJSON() }
            decimal.append(first, count: 1)
            while let digit = digit() { decimal.append(digit, count: 1) }
        }
        if next < end, next.pointee == UInt8(ascii: ".") {
            next += 1
            let places = digits(of: &decimal)
            guard places > 0 else { throw MalformedJSON() }
            decimal.exponent -= places
        }
        if next < end, next.pointee | 0x20 == UInt8(ascii: "e") {
            next += 1
            try exponent(of: &decimal)
        }
        decimal.text = UnsafeBufferPointer(start: start, count: next - start)
        return decimal
    }

    /// Reads the digits that follow and says how many there are: eight at a time, while the message has as many bytes left.
    @inline(__always)
    private mutating func digits(of decimal: inout DecimalNumber) -> Int {
        let start = next
        while let word = nextWord {
            let digits = word ^ DecimalDigits.zeros
            // The top bit of each byte that is no digit: above nine, or not ASCII.
            let others = ((digits & 0x7f7f_7f7f_7f7f_7f7f) &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
            guard others != 0 else {
                decimal.append(DecimalDigits.value(digits), count: 8)
                next += 8
                continue
            }
            let count = others.trailingZeroBitCount >> 3
            // The digits go to the upper end, behind zeros.
            if count > 0 { decimal.append(DecimalDigits.value(digits << UInt64(64 - 8 * count)), count: count) }
            next += count
            return next - start
        }
        while let digit = digit() { decimal.append(digit, count: 1) }
        return next - start
    }

    private mutating func exponent(of decimal: inout DecimalNumber) throws(MalformedJSON) {
        var isNegative = false
        if next < end, next.pointee == UInt8(ascii: "-") || next.pointee == UInt8(ascii: "+") {
            isNegative = next.pointee == UInt8(ascii: "-")
            next += 1
        }
        guard let first = digit() else { throw MalformedJSON() }
        var exponent = Int(first)
        // Beyond this only "far too large" and "zero" are left, which the slow conversion tells apart.
        while let digit = digit() { exponent = min(exponent * 10 + Int(digit), 1_000_000) }
        decimal.exponent += isNegative ? -exponent : exponent
    }
}
