// Links that are given away for longer than a day: what they open, how long, and how they are taken back.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { waitFor } from '../../kit/wait-for.ts'
import { ask, envelope, type Running, startServer } from './harness.ts'
import { GIVEN } from './links-double.ts'
import { HASH } from './service-double.ts'

interface Link {
  readonly id: string
  readonly url: string
  readonly ends: number
}

let server: Running
before(async () => {
  server = await startServer()
  server.double.content = Buffer.from('film')
  server.double.availableTo = 4
})
after(() => server.stop())

const status = async (path: string): Promise<number> => (await ask(server.port, path, { key: false })).status

async function give(body: object): Promise<Link> {
  const answer = await ask(server.port, '/links', {
    method: 'PUT',
    body: Buffer.from(JSON.stringify({ name: 'tv', infohash: HASH, ...body })),
  })
  assert.equal(answer.status, 200, answer.body.toString())
  return answer.json() as Link
}

const take = (id: string) => ask(server.port, `/links/${id}`, { method: 'DELETE' })

test('a link of a file opens that file, by its name, until it is taken back', async () => {
  const { url, id, ends } = await give({ fileindex: 0, days: 0 })
  assert.equal(ends, 0)
  assert.match(url, new RegExp(`^/downloads/${HASH}/stream/0/[^?]+[?]token=999999999999[.]${id}[.][A-Za-z0-9_-]{43}$`))
  const token = url.slice(url.indexOf('?'))
  assert.equal(await status(url), 206)
  assert.equal(await status(`/downloads/${HASH}/stream/1${token}`), 403)
  assert.equal(await status(`/downloads/${'f'.repeat(40)}/stream/0${token}`), 403)
  assert.equal(await status(`/downloads/${HASH}/playlist.m3u${token}`), 403)
  assert.equal(await status(`/downloads/${HASH}/watching/0${token}`), 401)
  assert.equal(await status(url.replace(id, GIVEN.id)), 403, 'the id of another link')
  assert.equal(await status(url.replace(`${id}.`, '')), 403, 'without the id')
  assert.equal((await take(id)).status, 200)
  const answer = await ask(server.port, url, { key: false })
  assert.deepEqual([answer.status, envelope(answer).code], [403, 'LinkInvalid'])
})

test('a link of a playlist gives links that end with it, and with it are taken back', async () => {
  const { url, id } = await give({ days: 30 })
  const list = (await ask(server.port, url, { key: false })).body.toString()
  const paths = [...list.matchAll(/^http:\/\/[^/]+(\/\S+)$/gm)].map(([, path = '']) => path)
  assert.ok(paths.length > 0, list)
  for (const path of paths) {
    assert.ok(path.includes(`.${id}.`), path)
    assert.equal(await status(path), 206)
  }
  await take(id)
  assert.equal(await status(url), 403)
  for (const path of paths) assert.equal(await status(path), 403)
})

/** Asks from an address of this machine. */
function statusFrom(localAddress: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port: server.port, path, localAddress, agent: false }, answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    asking.on('error', reject)
    asking.end()
  })
}

test('a link for one device opens for the first that uses it, with all that comes of it, and for no other', async () => {
  const { url, id } = await give({ one_device: true })
  const listed = async () =>
    ((await ask(server.port, '/links')).json() as { links: Record<string, unknown>[] }).links.find(
      one => one['id'] === id,
    )
  assert.deepEqual([(await listed())?.['one_device'], (await listed())?.['device']], [true, ''])
  assert.equal(await statusFrom('127.0.0.7', url), 200)
  assert.equal((await listed())?.['device'], '127.0.0.7')
  const list = await ask(server.port, url, { key: false })
  assert.deepEqual([list.status, envelope(list).code], [403, 'LinkInvalid'])
  const file = `/downloads/${HASH}/stream/0${url.slice(url.indexOf('?'))}`
  assert.equal(await statusFrom('127.0.0.7', file), 403, 'the token of the playlist opens no file')
  assert.equal(await statusFrom('127.0.0.7', url), 200)
  await take(id)
  const plain = await give({ one_device: false })
  for (const from of ['127.0.0.7', '127.0.0.8']) assert.equal(await statusFrom(from, plain.url), 200)
  await take(plain.id)
})

test('a stream that a link opened is cut when it is taken back', { timeout: 30_000 }, async () => {
  const { url, id } = await give({ fileindex: 0, days: 1 })
  server.double.content = Buffer.alloc(1_000_000, 'film')
  server.double.availableTo = 10
  let closed = false
  const reading = request({ host: '127.0.0.1', port: server.port, path: url, agent: false }, answer => {
    answer.on('data', () => undefined)
    answer.on('error', () => undefined)
    answer.on('close', () => {
      closed = true
    })
  })
  reading.on('error', () => undefined)
  reading.end()
  await waitFor('the reader', () => server.double.readers.length > 0)
  await take(id)
  await waitFor('the cut', () => closed, 20_000)
})

test('they are listed with their addresses, for scope admin', async () => {
  const { links } = (await ask(server.port, '/links')).json() as { links: Link[] }
  assert.deepEqual(
    links.map(({ id }) => id),
    [GIVEN.id],
  )
  assert.match(links[0]?.url ?? '', /playlist\.m3u\?token=/)
  assert.equal(await status(links[0]?.url ?? ''), 200)
})
