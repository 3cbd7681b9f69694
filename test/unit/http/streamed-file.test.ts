// What a browser may do with a file of a torrent that it opens: films play, and nothing acts as a page of the node.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamedFile } from '../../../src/http/stream-plan.ts'

const policyOf = (contentType: string): string | undefined => {
  const { lines } = new StreamedFile({ size: 1, tag: 'x', contentType }).typed
  return /^Content-Security-Policy: (.*)$/m.exec(lines)?.[1]?.trim()
}

test('films and sound may be asked for by the page that a browser makes of them; what may hold scripts is nobody’s', () => {
  for (const media of ['video/mp4', 'video/x-matroska', 'audio/mpeg'])
    assert.equal(policyOf(media), 'sandbox allow-same-origin', media)
  for (const page of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'application/octet-stream', 'x/video/mp4'])
    assert.equal(policyOf(page), 'sandbox', page)
})
