// 8 MB of brackets stopped the main thread for four seconds, and a request that says twice where its body ends was read
// by the first of the two, whatever a proxy before it had read.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { ask, envelope, KEY, type Running, startServer } from '../../contract/http/harness.ts'
import { HASH } from '../../contract/http/service-double.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** Longest time in which the loop did nothing else, ms. */
async function longestGap(work: Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await work
  clearInterval(timer)
  return longest
}

test('bodies that are nested deep are refused before they are parsed', async context => {
  server.double.calls.length = 0
  const body = `{"a":${'['.repeat(8_000_000)}`
  for (const [method, path] of [
    ['PUT', '/downloads'],
    ['PATCH', `/downloads/${HASH}`],
  ] as const) {
    const asked = ask(server.port, path, { method, body })
    const gap = await longestGap(asked)
    const answer = await asked
    assert.deepEqual([answer.status, envelope(answer).code], [400, 'BadRequest'], path)
    assert.match(envelope(answer).message, /nested deeper than 64/)
    context.diagnostic(`${method} ${path}: the loop stood still for ${gap.toFixed(1)} ms at most`)
  }
  const small = await ask(server.port, '/settings', {
    method: 'POST',
    body: `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
  })
  assert.equal(small.status, 400)
  const text = await ask(server.port, '/downloads', { method: 'PUT', body: JSON.stringify({ uri: '['.repeat(5000) }) })
  assert.equal(text.status, 200, 'brackets in a text are no nesting')
  assert.equal(server.double.calls.length, 1)
})

test('bodies that hold no torrent are at most 1 MiB; those of torrents 16', async () => {
  const settings = (bytes: number): object => ({ general: { x: 'y'.repeat(bytes) } })
  const post = async (path: string, method: string, body: object): Promise<string> => {
    const answer = await ask(server.port, path, { method, body: JSON.stringify(body) })
    return answer.status === 200 ? 'done' : (envelope(answer).code ?? '')
  }
  assert.equal(await post('/settings', 'POST', settings(1_000_000)), 'done')
  assert.equal(await post('/settings', 'POST', settings(1_048_576)), 'BodyTooLarge')
  const files = Array.from({ length: 200_000 }, (_, index) => index)
  assert.equal(await post(`/downloads/${HASH}`, 'PATCH', { selected_files: files }), 'done')
})

/** Status lines of what a raw request is answered with, until the connection ends. */
function raw(head: readonly string[], body = ''): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      // What is good is answered and left open.
      if (/ 200 OK/.test(text)) socket.end()
    })
    socket.on('close', () => resolve(text.match(/HTTP\/1\.1 \d+/g) ?? [])).on('error', reject)
    socket.write([...head, `X-Api-Key: ${KEY}`, '', body].join('\r\n'))
  })
}

test('where a body ends, and for whom it is, is said once', async () => {
  const put = ['PUT /downloads HTTP/1.1', 'Host: 127.0.0.1']
  const body = 'uri=magnet:1'
  const next = `0\r\n\r\nGET /state HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${KEY}\r\n\r\n`
  assert.deepEqual(await raw([...put, `Content-Length: ${body.length}`], body), ['HTTP/1.1 200'])
  assert.deepEqual(await raw([...put, 'Transfer-Encoding: chunked'], 'c\r\nuri=magnet:1\r\n0\r\n\r\n'), [
    'HTTP/1.1 200',
  ])
  for (const lines of [
    ['Content-Length: 12', 'Content-Length: 4'],
    ['Content-Length: 12', 'Content-Length: 12'],
    ['Content-Length: ', 'Content-Length: 12'],
    ['Content-Length: 12', 'Host: localhost'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: identity'],
    ['Transfer-Encoding: chunked, chunked'],
    ['Transfer-Encoding: Chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 12'],
  ]) {
    server.double.calls.length = 0
    const chunked = lines[0]?.startsWith('T') === true
    const alone = await raw([...put, ...lines], chunked ? 'c\r\nuri=magnet:1\r\n0\r\n\r\n' : body)
    assert.deepEqual(alone, ['HTTP/1.1 400'], lines.join(' | '))
    // With another request behind it, in the same packet: that is never answered.
    const more = await raw([...put, ...lines], chunked ? next : `${body}${next.slice(5)}`)
    assert.ok(!more.includes('HTTP/1.1 200'), `${lines.join(' | ')}: ${more.join()}`)
    assert.equal(server.double.calls.length, 0, lines.join(' | '))
  }
  for (const lines of [['Content-Length: 5', 'Content-Length: 0'], ['Transfer-Encoding: xchunked']]) {
    const answers = await raw(
      ['GET /state HTTP/1.1', 'Host: 127.0.0.1', ...lines],
      lines[0]?.startsWith('T') ? next : '',
    )
    assert.ok(!answers.includes('HTTP/1.1 200'), `GET ${lines.join(' | ')}: ${answers.join()}`)
  }
})
