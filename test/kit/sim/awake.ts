// A torrent that the test knows to be awake.

import assert from 'node:assert/strict'
import type { AwakeTorrent, TorrentHandle } from '../../../src/torrent/types.ts'

/** The torrent of `handle`; fails when it is not there, or suspended. */
export function awake(handle: TorrentHandle | undefined): AwakeTorrent {
  assert.ok(handle, 'there is no such torrent')
  const torrent = handle.awake
  assert.ok(torrent !== null, 'the torrent is suspended')
  return torrent
}
