// What the player says of films that a browser plays in part or not at all, and how it hands them to other players.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingOf, troubleOf } from '../../../src/web/model/playable.ts'
import { playerHost, playlistOf, vlcLink } from '../../../src/web/model/ways-out.ts'

test('what is missing of a film that plays', () => {
  const film = { name: 'a/b.mkv', width: 640, playedSec: 10, soundBytes: 5000 }
  assert.equal(missingOf(film), null)
  assert.equal(missingOf({ ...film, width: 0 }), 'picture')
  assert.equal(missingOf({ ...film, name: 'song.mp3', width: 0 }), null)
  assert.equal(missingOf({ ...film, name: 'may be sound.webm', width: 0 }), null)
  assert.equal(missingOf({ ...film, soundBytes: 0 }), 'sound')
  assert.equal(missingOf({ ...film, soundBytes: 0, playedSec: 1 }), null, 'it may still come')
  assert.equal(missingOf({ ...film, soundBytes: null }), null, 'the browser does not tell')
})

test('an error is the format only where the link works', () => {
  const table = [1, 2, 3, 4].map(code => [troubleOf(code, true), troubleOf(code, false)])
  assert.deepEqual(table, [
    ['stopped', 'stopped'],
    ['stopped', 'stopped'],
    ['format', 'stopped'],
    ['format', 'stopped'],
  ])
})

test('VLC of a phone is started by a link, others by a playlist', () => {
  const url = 'http://192.168.1.2:8085/downloads/00/stream/1/a%20b.mkv?token=1.x'
  const agents = ['Mozilla/5.0 (Linux; Android 15)', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19)', 'Mozilla/5.0 (X11)']
  assert.deepEqual(agents.map(playerHost), ['android', 'ios', 'desktop'])
  assert.equal(
    vlcLink(url, 'android'),
    'intent://192.168.1.2:8085/downloads/00/stream/1/a%20b.mkv?token=1.x#Intent;scheme=http;package=org.videolan.vlc;type=video/*;end',
  )
  assert.equal(vlcLink(url, 'ios'), `vlc-x-callback://x-callback-url/stream?url=${encodeURIComponent(url)}`)
  assert.equal(vlcLink(url, 'desktop'), null)
  assert.equal(vlcLink('javascript:alert(1)', 'android'), null)
})

test('a name of a stranger is one line of the playlist', () => {
  const list = playlistOf('a\nhttp://evil/\u0000\u2028\u202e\u200bb.mkv', 'http://node/x', 101.9)
  assert.equal(list, '#EXTM3U\n#EXTINF:-1,a http://evil/ b.mkv\n#EXTVLCOPT:start-time=101\nhttp://node/x\n')
  assert.ok(playlistOf('x'.repeat(4000), 'http://node/x', 0).length < 400)
})
