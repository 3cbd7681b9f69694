// The figures of a node: what runs is shown in seconds and bytes, what does not run is left out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNames, engine, familiesOf, rows } from './metrics-rig.ts'

test('before the engine runs: the process and the store alone', async () => {
  const found = await rows(null)
  assert.equal(found.get('tributary_info 1.2.3'), 1)
  assert.equal(found.get('process_cpu_seconds_total'), 1.5)
  assert.equal(found.get('tributary_database_bytes'), 4096)
  assert.equal(found.get('tributary_event_loop_delay_seconds 0.5'), 0.001)
  assert.equal(found.get('tributary_event_loop_delay_seconds_count'), 1000)
  assert.ok(![...found.keys()].some(name => /process_open_fds|tributary_(torrents|payload|peers|job)/.test(name)))
})

test('the engine: payload, pieces, peers, waits in seconds, slots and overlays', async () => {
  const found = await rows(engine)
  const expected: [string, number][] = [
    ['tributary_torrents seeding', 3],
    ['tributary_payload_bytes_total down', 10],
    ['tributary_payload_bytes_total up', 20],
    ['tributary_pieces_total verified', 4],
    ['tributary_pieces_total failed', 1],
    ['tributary_peers connected', 7],
    ['tributary_peers half_open', 2],
    ['tributary_jobs_waiting thread', 5],
    ['tributary_jobs_waiting queue', 6],
    ['tributary_jobs_waiting disk', 8],
    ['tributary_job_wait_seconds_sum piece.commit', 0.25],
    ['tributary_job_wait_seconds_count piece.commit', 4],
    ['tributary_job_run_seconds_sum piece.commit', 1.5],
    ['tributary_arena_slots block free', 4],
    ['tributary_arena_slots block lent', 6],
    ['tributary_udp_packets_total received', 2],
    ['tributary_overlay_nodes mainline_dht4', 12],
  ]
  for (const [name, value] of expected) assert.equal(found.get(name), value, name)
})

test('names are those of Prometheus: counters end in _total, and each is there once', async () => {
  assertNames(await familiesOf(engine))
})
