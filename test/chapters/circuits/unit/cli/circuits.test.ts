// `circuits` as people read it: nothing runs, circuits of all states, those of others, and reasons that escape nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circuitsText, type CircuitsSeen } from '../../../../../src/chapters/circuits/cli/circuit-commands.ts'
import { fitted } from '../../../../../src/cli/screen.ts'
import { CircuitFigures } from '../../../../../src/chapters/circuits/service/circuit-figures.ts'
import { FakeOverlay, ownCircuit } from '../../../overlay/kit/fake-overlay.ts'

const NOW_S = 1_795_000_075

function seen(overlay: FakeOverlay): CircuitsSeen {
  const figures = new CircuitFigures({
    overlay: () => overlay,
    randomSlots: () => 5,
    forbiddenBy: () => '',
    startFailure: () => '',
  })
  return {
    network: figures.network(),
    circuits: figures.circuits(),
    relays: figures.relays(),
    exits: figures.exits(),
    traffic: figures.traffic(),
  }
}

test('before overlays run there is one sentence', () => {
  assert.equal(
    circuitsText(seen(new FakeOverlay()), NOW_S),
    'The overlays do not run: nothing has asked for circuits yet.\n',
  )
})

test('circuits: state, hops of those wanted, speed, time, loss, and the path', () => {
  const lines = circuitsText(seen(new FakeOverlay().withEverything()), NOW_S).split('\n')
  assert.equal(lines[0], '21 relays known, exits among them: 4. Running for 1m 1s.')
  assert.equal(lines[1], 'Own traffic 85.8 MiB down, 977 KiB up. For others 4.8 MiB passed on, 146 KiB let out.')
  const line = (text: RegExp): string => lines.find(each => text.test(each)) ?? ''
  assert.match(
    line(/203\.0\.113\.11/),
    /^ready +3\/3 +data +2\.4 MiB\/s +10 B\/s +84 ms +2% +1m 15s +203\.0\.113\.11:7759 > 0{8} > 0{8}$/,
  )
  assert.match(line(/third hop/), /^extending +2\/3 .*Waiting for the third hop/)
  assert.match(line(/Four pings/), /^closing .* 80% /)
  assert.match(line(/^exit/), /^exit +30 B +40 B +1m 15s +198\.51\.100\.4:7000$/)
})

test('a reason with control characters is shown as what it is', () => {
  const overlay = new FakeOverlay()
  overlay.running = true
  overlay.known = { relays: 3, exits: 1 }
  overlay.own = [ownCircuit(5, { state: 'EXTENDING', reason: 'e\u001b[2Jvil' })]
  const text = circuitsText(seen(overlay), NOW_S)
  assert.ok(!text.includes('\u001b'))
  assert.match(text, /A circuit is being built\. e\ufffd\[2Jvil/)
})

test('what is drawn over fits its terminal', () => {
  assert.deepEqual(fitted('one\ntwo three\nfour\n', { columns: 5, rows: 3 }), ['one', 'two…'])
  assert.deepEqual(fitted('one\n', { columns: 80, rows: 1 }), ['one'])
})
