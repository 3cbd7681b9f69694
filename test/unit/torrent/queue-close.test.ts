// The end of a node with very many seeds: what each costs in the queue.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnEnd } from '../../../src/base/turn-end.ts'
import { OrderedList } from '../../../src/torrent/pieces/ordered-list.ts'
import { NO_QUEUE, type QueueMember, TorrentQueue } from '../../../src/torrent/session/torrent-queue.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

test('who leaves a queue that is closed moves nobody behind it', t => {
  const member: QueueMember = { start: () => undefined, hold: () => undefined, rates: () => null, suspended: true }
  const queue = new TorrentQueue(NO_QUEUE, new VirtualClock(), new TurnEnd(() => undefined))
  const gates = Array.from({ length: 1000 }, () => queue.gate(member))
  for (const gate of gates) assert.equal(gate.enter('seed'), true)
  queue.close()
  const moves = t.mock.method(OrderedList.prototype, 'delete')
  for (const gate of gates) gate.leave()
  assert.equal(moves.mock.callCount(), 0)
})
