// Requests made from rows of the specification's table, sent over a socket of their own.

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import path from 'node:path'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import type { NodeProcess } from '../../kit/nodes/node-process.ts'
import { ERROR } from './records.ts'
import type { SpecRoute, World } from './routes.ts'
import { assertValue, type Json } from './shapes.ts'

/** What a download of three files, one of them empty, is made of. */
export const made = makeTorrent({
  name: 'folder',
  files: [
    { path: 'one/ä film.mp4', length: 700_000 },
    { path: 'empty.txt', length: 0 },
    { path: 'two.bin', length: 20_000 },
  ],
  announce: [['http://127.0.0.1:9/announce']],
})

/** Writes the torrent file and its content into `folder`. */
export async function makeWorld(folder: string): Promise<World> {
  const torrentFile = path.join(folder, 'folder.torrent')
  await writeFile(torrentFile, made.torrent)
  for (const file of made.files) {
    const place = path.join(folder, 'folder', file.path)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, file.content)
  }
  const upload = Buffer.from(made.torrent).toString('base64')
  const magnet = `magnet:?xt=urn:btih:${made.infoHash}&dn=folder`
  return { infohash: made.infoHash, torrentFile, folder, channelid: '', upload, link: '', magnet }
}

/** A feed that nobody serves. */
export const FEED_URL = 'http://127.0.0.1:9/feed.xml?a=1&b=ä'

/** Segments that the paths of rows have, where a request has no others. */
export function segmentsOf(route: SpecRoute, world: World): Record<string, string> {
  const torrent = route.method === 'DELETE' ? world.infohash : world.magnet
  return {
    infohash: world.infohash,
    fileindex: '0',
    channelid: world.channelid,
    playlistid: '0',
    torrent,
    url: FEED_URL,
  }
}

/** An answer, or the beginning of one that does not end. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  json(): Json
}

/** How parameters travel (rule 3 of part 1). */
export type Form = 'json' | 'pairs'

/** The path of a row with its segments filled in. */
export function pathOf(route: SpecRoute, segments: Readonly<Record<string, string>>): string {
  return route.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(segments[name] ?? ''))
}

/** The forms in which a row may be asked: GET has a query; settings are JSON. */
export function formsOf(route: SpecRoute): readonly Form[] {
  return route.method === 'GET' || route.path === '/settings' ? ['json'] : ['json', 'pairs']
}

function pairs(parameters: Json): string {
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item: unknown) => [name, String(item)]) : [[name, String(value)]],
  )
  return new URLSearchParams(entries as [string, string][]).toString()
}

/** Sends `parameters` where the method has them. */
export function askRoute(
  node: NodeProcess,
  route: SpecRoute,
  target: string,
  parameters: Json = {},
  options: { form?: Form; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const some = Object.keys(parameters).length > 0
  if (route.method === 'GET') return send(node, 'GET', some ? `${target}?${pairs(parameters)}` : target, null, options)
  const body = options.form === 'pairs' ? pairs(parameters) : JSON.stringify(parameters)
  return send(node, route.method, target, some || route.path === '/settings' ? body : null, options)
}

let requests = 0

/** Another loopback address for each request: wrong keys of one address are answered slower and slower. */
function nextAddress(): string {
  requests = (requests % 60_000) + 1
  return `127.0.${requests >> 8}.${requests & 255}`
}

/**
 * One request with the key; a header given as '' is left out. Of an answer without end, what came in its first part.
 */
export function send(
  node: NodeProcess,
  method: string,
  target: string,
  body: string | Buffer | null,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<Answer> {
  // Node leaves the length of a DELETE's body out.
  const length = body === null ? '' : String(Buffer.byteLength(body))
  const all = Object.entries({ 'x-api-key': node.key, 'content-length': length, ...headers }).filter(
    ([, value]) => value !== '',
  )
  return new Promise((resolve, reject) => {
    const localAddress = nextAddress()
    const options = { method, headers: Object.fromEntries(all), agent: false, localAddress }
    const sent = httpRequest(`${node.baseUrl}${target}`, options)
    sent.on('error', reject)
    sent.on('response', reply => {
      const parts: Buffer[] = []
      const finish = () => {
        const bytes = Buffer.concat(parts)
        const { statusCode: status = 0, headers: replied } = reply
        resolve({ status, headers: replied, body: bytes, json: () => JSON.parse(bytes.toString()) as Json })
        sent.destroy()
      }
      const endless = reply.headers['content-length'] === undefined && target.startsWith('/events')
      reply.on('data', (part: Buffer) => {
        parts.push(part)
        if (endless && /^(\{|data: ).*\n/m.test(Buffer.concat(parts).toString())) finish()
      })
      reply.on('end', finish)
      reply.on('error', reject)
    })
    sent.end(body ?? undefined)
  })
}

/** Fails unless this is an error as part 7 has it, of the caller's making. The code. */
export function assertRefused(answer: Answer, status: number, at: string): string {
  assert.equal(answer.status, status, `${at}: ${answer.body.toString().slice(0, 300)}`)
  assert.equal(answer.headers['content-type'], 'application/json', at)
  const body = answer.json()
  assertValue(body, ERROR, at)
  const error = body['error'] as Json
  assert.equal(error['handled'], true, at)
  assert.match(String(error['code']), /^[A-Z][A-Za-z]+$/, at)
  assert.ok(String(error['message']).length > 10, at)
  return String(error['code'])
}
