# The rig itself: its judgements see what is wrong
# weight 8

board 1
plug 1

row 'numbers that differ, frames that are missing' 'each is seen'
capturing a --frames 6
must 'usbfs takes the port' within 10 bound 1 0 usbfs
firmware 1
must 'ends well' ended a 0
must 'as it is: equal' same_numbers a 1
cp /tmp/a.jsonl /tmp/right
sed '3s/"histogram":\[[0-9]*/"histogram":[1/' /tmp/right >/tmp/a.jsonl
must_not 'one bin is another' same_numbers a 1
sed '3s/"distanceM":1\.[0-9]*/"distanceM":3.21/' /tmp/right >/tmp/a.jsonl
must_not 'one distance is another' same_numbers a 1
sed 3d /tmp/right >/tmp/a.jsonl
must_not 'a frame is missing' same_numbers a 1
must_not 'and nothing says so' ledger a 1
must_not 'its sequence has a hole' whole a
head -c 30000 /tmp/right >/tmp/a.jsonl
must_not 'a torn line' whole a
: >/tmp/a.jsonl
must_not 'no frame at all' same_numbers a 1
cp /tmp/right /tmp/a.jsonl

row 'a port that is not given back, a process that stays' 'each is seen'
capturing b
must 'frames come' within 20 has_lines b 2
must_not 'held by usbfs' given_back 1
must_not 'a capture runs' nothing_runs
kill -KILL "$(program_of b)"
must 'killed' ended b 137
must_not 'no driver' given_back 1
capture b --frames 2
must 'given back' given_back 1
