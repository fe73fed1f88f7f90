# monitor --paired: a TLS server in the guest, while the board beside it is unplugged and replugged
# weight 15

url=wss://localhost:8443/api/v1/nlos/ws
mkdir -p /tmp/server
cat >/tmp/server/names <<'END'
[req]
distinguished_name = name
prompt = no
x509_extensions = v3
[name]
CN = rig
[v3]
subjectAltName = DNS:localhost
basicConstraints = critical, CA:true
END
openssl req -x509 -config /tmp/server/names -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -keyout /tmp/server/server.key -out /tmp/server/server.pem 2>/tmp/server/req.log
head -c 24 /dev/urandom | md5sum | cut -c1-32 >/tmp/server/token
/rig/track-server 8443 >/tmp/server/log 2>&1 &
server=$!

# event NAME PATTERN: the monitor has told of this.
event() { grep "\"event\":\"$1\"" /tmp/monitor | grep -q "$2"; }
# newest EVENT PATTERN: its last word about this says so.
newest() { grep "\"event\":\"$1\"" /tmp/monitor | tail -n 1 | grep -q "$2"; }

row 'pair with the server, then monitor --paired with a board' 'authenticated, frames, the sensor streams and agrees'
board 1
plug 1
firmware 1
nlos-bridge pair "$url" --token-file /tmp/server/token >/tmp/out 2>/tmp/err
must 'paired' same "$?" 0
nlos-bridge monitor --json --paired --sensor-id bench --ca-file /tmp/server/server.pem "$url" >/tmp/monitor 2>/tmp/monitor.err &
monitor=$!
must 'authenticated' within 20 event authenticated '"sessionId":"rig"'
must 'frames' within 10 event frame '"sequence":3'
must 'the sensor streams' within 20 newest paired '"sensor":"streaming"'
must 'and agrees' within 10 newest paired '"agreement":"agrees"'

row 'unplug the board' 'absent; the stream goes on, nothing of it is shown as the sensor is'
unplug 1
must 'absent' within 10 newest paired '"sensor":"absent"'
sequence=$(grep -c '"event":"frame"' /tmp/monitor)
sleep 2
must 'the stream goes on' test "$(grep -c '"event":"frame"' /tmp/monitor)" -gt "$sequence"
must_not 'and no longer agrees' newest paired '"agreement":"agrees"'

row 'replug it' 'streams again'
firmware 1
plug 1
must 'streams' within 20 newest paired '"sensor":"streaming"'
must 'agrees' within 10 newest paired '"agreement":"agrees"'

row 'five times in quick succession' 'streams in the end'
for round in 1 2 3 4 5; do
    unplug 1
    firmware 1
    usleep $((round * 70000))
    plug 1
    usleep $((round * 150000))
done
must 'streams' within 20 newest paired '"sensor":"streaming"'

row 'the firmware falls silent, and speaks again' 'stalled, then streaming'
power_off 1
must 'stalled' within 20 newest paired '"sensor":"stalled"'
firmware 1
must 'streams' within 30 newest paired '"sensor":"streaming"'

row 'the server goes away' 'disconnected, nothing stays on display, status 6, driver given back'
kill "$server"
for pid in $(pidof openssl); do kill "$pid"; done
must 'ends' within 40 dead "$monitor"
wait "$monitor"
must 'status' same "$?" 6
must 'said' event disconnected '"reason":'
must 'given back' given_back 1
must 'nothing runs' nothing_runs
must_not 'the token is nowhere in its words' grep -qF "$(cat /tmp/server/token)" /tmp/monitor /tmp/monitor.err
sed 's/^/   monitor: /' /tmp/monitor | grep -v '"event":"frame"' | tail -n 12
sed 's/^/   monitor: /' /tmp/monitor.err
