// Ranges of a film: what two read at once is fetched once, what nobody waits for is cut.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkError, RangeSource } from '../../../../src/web/remux/range-source.ts'

const BLOCK = 256 * 1024
const SIZE = 40 * BLOCK + 777
const byteAt = (at: number) => (at * 31 + (at >> 10)) & 0xff

interface Asked {
  readonly url: string
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal
  answer(): void
}

/** A node whose answers the test gives. */
function stub() {
  const asked: Asked[] = []
  const source = new RangeSource('first', SIZE, (url, { headers, signal }) => {
    const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['Range'] ?? '') ?? []
    const [from, end] = [Number(start), Number(last) + 1]
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      const body = () => Uint8Array.from({ length: end - from }, (_, at) => byteAt(from + at))
      asked.push({ url, start: from, end, signal, answer: () => resolve(new Response(body(), { status: 206 })) })
    })
  })
  return { asked, source }
}
const never = new AbortController().signal
/** Fails where bytes are not those of the file from `start` to `end`. */
function assertBytes(bytes: Uint8Array, start: number, end: number): void {
  const due = Uint8Array.from({ length: end - start }, (_, at) => byteAt(start + at))
  assert.ok(Buffer.from(bytes).equals(due), `${start} to ${end}`)
}
const turn = () => new Promise(resolve => setImmediate(resolve))

async function answered(source: RangeSource, asked: Asked[], start: number, end: number): Promise<Uint8Array> {
  let at = asked.length
  const reading = source.read(start, end, never)
  for (let tries = 0; tries < 20; tries += 1) {
    await turn()
    for (; at < asked.length; at += 1) asked[at]?.answer()
    await turn()
  }
  return reading
}

test('whole blocks are asked for, kept, and not asked again', async () => {
  const { asked, source } = stub()
  const reading = source.read(BLOCK + 5, 3 * BLOCK + 9, never)
  asked[0]?.answer()
  assertBytes(await reading, BLOCK + 5, 3 * BLOCK + 9)
  assert.deepEqual([asked[0]?.start, asked[0]?.end], [BLOCK, 4 * BLOCK])
  assertBytes(await source.read(2 * BLOCK, 2 * BLOCK + 10, never), 2 * BLOCK, 2 * BLOCK + 10)
  assert.equal(asked.length, 1)
})

test('the end of the file is shorter than a block', async () => {
  const { asked, source } = stub()
  assertBytes(await answered(source, asked, SIZE - 10, SIZE), SIZE - 10, SIZE)
  assert.equal(asked[0]?.end, SIZE)
})

test('a request has at most four MiB', async () => {
  const { asked, source } = stub()
  assertBytes(await answered(source, asked, 0, SIZE), 0, SIZE)
  assert.ok(asked.every(({ start, end }) => end - start <= 4 * 1024 * 1024))
})

test('two who read the same wait for one request; it is cut when both have left', async () => {
  const { asked, source } = stub()
  const [one, two] = [new AbortController(), new AbortController()]
  const first = assert.rejects(source.read(0, 100, one.signal), /AbortError|aborted/)
  const second = assert.rejects(source.read(50, 200, two.signal), /AbortError|aborted/)
  assert.equal(asked.length, 1)
  one.abort()
  await first
  assert.equal(asked[0]?.signal.aborted, false, 'the other waits')
  two.abort()
  await second
  assert.equal(asked[0]?.signal.aborted, true)
  // And it can be read again.
  assertBytes(await answered(source, asked, 0, 100), 0, 100)
})

test('one who leaves takes nothing from the other', async () => {
  const { asked, source } = stub()
  const one = new AbortController()
  const first = assert.rejects(source.read(0, 100, one.signal))
  const second = source.read(50, 200, never)
  one.abort()
  await first
  asked[0]?.answer()
  assertBytes(await second, 50, 200)
})

test('a link that does not answer with the bytes is told as that, and another link is taken', async () => {
  const answers: Response[] = [
    new Response('', { status: 401 }),
    new Response('', { status: 200 }),
    new Response('short', { status: 206 }),
  ]
  const urls: string[] = []
  const source = new RangeSource('first', SIZE, url => {
    urls.push(url)
    const answer = answers.shift()
    return answer === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer)
  })
  for (let tries = 0; tries < 4; tries += 1) await assert.rejects(source.read(0, 10, never), LinkError)
  source.relink('second')
  await assert.rejects(source.read(0, 10, never), LinkError)
  assert.deepEqual(urls, ['first', 'first', 'first', 'first', 'second'])
})

test('what is kept has a bound', async () => {
  let fetched = 0
  const size = 400 * BLOCK
  const source = new RangeSource('link', size, (_, { headers }) => {
    const [, start = 0, last = 0] = (/(\d+)-(\d+)/.exec(headers['Range'] ?? '') ?? []).map(Number)
    fetched += last + 1 - start
    return Promise.resolve(new Response(new Uint8Array(last + 1 - start), { status: 206 }))
  })
  for (let at = 0; at < 400; at += 1) await source.read(at * BLOCK, at * BLOCK + 1, never)
  assert.equal(fetched, size)
  await source.read(399 * BLOCK, size, never)
  assert.equal(fetched, size, 'the newest are there')
  await source.read(0, 1, never)
  assert.equal(fetched, size + BLOCK, 'the oldest are not')
})
