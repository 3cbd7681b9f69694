// What a browser shows outside of the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notificationOf } from '../../../src/web/model/notification-texts.ts'

const event = (type: string, fields: Record<string, unknown>) => ({ id: 1, type, event: fields }) as const

test('what finished and what needs somebody is told, and nothing else', () => {
  assert.deepEqual(notificationOf(event('torrent_finished', { infohash: 'ab', name: 'Film' })), {
    title: 'Download finished',
    body: 'Film',
    tag: 'torrent_finished ab',
  })
  assert.equal(notificationOf(event('torrent_error', { infohash: 'ab', error: 'full' }))?.body, 'full')
  assert.equal(notificationOf(event('storage_move_failed', { infohash: 'ab', error: 'full' }))?.body, 'full')
  assert.equal(notificationOf(event('volume_stalled', { mount: '/srv' }))?.body, '/srv')
  for (const type of ['downloads_added', 'torrent_file_checked', 'nothing_known'])
    assert.equal(notificationOf(event(type, { name: 'Film' })), null)
})

test('names of strangers are cut, and what is no text is none', () => {
  assert.equal(notificationOf(event('torrent_finished', { name: 'x'.repeat(4000) }))?.body.length, 200)
  assert.equal(notificationOf(event('torrent_finished', { name: { toString: 'no' } }))?.body, '')
  assert.equal(notificationOf({ id: 1, type: 'torrent_error' })?.body, '')
})
