import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

@Suite struct MonitorPictureTests {
    @Test func look() throws {
        let f = MonitorFixtures.self
        func show(_ v: MonitorView, _ c: Int, _ r: Int, after ns: UInt64 = 100_000_000) {
            let now = MonitorPicture.Moment(monotonicNs: 9_000_000_000 + ns, bootNs: f.bootNs + ns, unixMs: f.unixMs + ns / 1_000_000)
            let p = MonitorPicture.draw(v, at: now, size: Picture.Size(columns: c, rows: r))
            print(String(repeating: "=", count: c)); print(p.text)
            #expect(p.rows.count <= r)
        }
        let auth = MonitorEvent.authenticated(try f.session)
        show(f.view([.connecting(f.endpoint)]), 60, 24)
        show(f.view([.connecting(f.endpoint), auth]), 60, 24, after: 12_000_000_000)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame())]), 60, 24)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(3), .synthetic))]), 80, 24)
        var v = f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(5)))])
        v.local = PairedReport(f.board(.stalled), beside: v.frame(atBootNs: f.bootNs))
        show(v, 120, 30)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(16), .replay))]), 80, 24)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(16), .replay))]), 60, 24)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(2)))]), 40, 20)
        show(f.view([.connecting(f.endpoint), auth, .frame(try f.frame(f.many(3), .synthetic))]), 60, 24, after: 300_000_000)
    }
}
