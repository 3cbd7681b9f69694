// The sentence of a download that moves, and none of one that does not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doingNow, type MovingDownload } from '../../../../src/web/model/detail/doing-now.ts'

const record = (change: Partial<MovingDownload>): MovingDownload => ({
  status: 'DLSTATUS_DOWNLOADING',
  speed_down: 3 * 1024 * 1024,
  speed_up: 5000,
  eta: 330,
  num_connected_peers: 12,
  ...change,
})

test('rate, peers and the time left; without a time that is known none', () => {
  assert.equal(doingNow(record({})), 'Downloading at 3.00 MiB/s, connected to 12 peers; done in about 5 min 30 s.')
  assert.equal(
    doingNow(record({ num_connected_peers: 1, eta: 8_640_000 })),
    'Downloading at 3.00 MiB/s, connected to 1 peer.',
  )
  assert.equal(
    doingNow(record({ status: 'DLSTATUS_SEEDING', speed_up: 2048, num_connected_peers: 2 })),
    'Complete; seeding at 2.00 KiB/s, connected to 2 peers.',
  )
})

test('of what does not move the node says why', () => {
  for (const change of [
    { speed_down: 0.5 },
    { status: 'DLSTATUS_SEEDING', speed_up: 0 },
    { status: 'DLSTATUS_STOPPED' },
    { status: 'DLSTATUS_HASHCHECKING' },
  ] as const)
    assert.equal(doingNow(record(change)), '')
})
