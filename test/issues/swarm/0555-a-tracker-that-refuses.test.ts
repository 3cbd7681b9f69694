// A tracker that refuses a torrent: the list, its group of trouble, explain and the command line say so with the
// tracker's own words (it read "Downloading", no trouble, and "none of its trackers answers").

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DownloadRecord, Explanation } from '../../../src/services/api.ts'
import { makeTestFolder, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { addDownload } from '../../kit/nodes/downloads-client.ts'
import { runCli, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

const WORDS = 'Unregistered torrent or unknown passkey'
/** What a hostile one sends with them. */
const NOISE = `\u0007\u001b[2J${'!'.repeat(5000)}`

interface Listed {
  readonly downloads: readonly DownloadRecord[]
  readonly totals: { readonly states: Readonly<Record<string, number>> }
}

test('a tracker that refuses is named, with its words, wherever the download is shown', async t => {
  const server = createServer((_, answer) => {
    const text = `${WORDS}${NOISE}`
    answer.end(`d14:failure reason${Buffer.byteLength(text)}:${text}e`)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const folder = await makeTestFolder()
  const node = await startNode({ settings: { 'libtorrent.dht': false } })
  t.after(async () => {
    await node.kill('SIGKILL')
    server.close()
    await folder.remove()
  })
  const made = makeTorrent({
    name: 'film.mkv',
    length: 100_000,
    seed: 55,
    private: true,
    announce: [[`http://127.0.0.1:${port}/announce`]],
  })
  const infoHash = await addDownload(node, await writeTorrent(made, folder.path), await folder.sub('to'))
  const list = () => node.get<Listed>('/downloads?filter=trouble&get_totals=1')
  await waitFor('it is in trouble', async () => (await list()).downloads.length === 1, 20_000)
  const { downloads, totals } = await list()
  assert.equal(totals.states['trouble'], 1)
  const { condition, status } = downloads[0] as DownloadRecord
  assert.equal(status, 'DLSTATUS_DOWNLOADING', 'the status stays that of the specification')
  assert.deepEqual([condition?.code, condition?.parameters?.tracker], ['tracker_refused', '127.0.0.1'])
  const words = condition?.parameters?.words ?? ''
  assert.ok(words.startsWith(WORDS) && words.length <= 240 && !/\p{Cc}/u.test(words), words)
  const { reasons } = await node.get<Explanation>(`/downloads/${infoHash}/explain`)
  assert.deepEqual([reasons[0]?.code, reasons[0]?.parameters], ['tracker_refused', condition?.parameters])
  assert.ok(reasons[0]?.message.includes(WORDS))
  assert.ok(reasons.every(({ code }) => code !== 'no_tracker_answers' && code !== 'private_without_tracker'))
  // The whole list and its changes are made elsewhere than its pages.
  const [whole] = (await node.get<Listed>('/downloads')).downloads
  assert.deepEqual(whole?.condition, condition)
  const listed = await runCli(['ls', '--state-dir', node.stateDir])
  assert.match(listed.stdout, /refused by tracker/)

  // A limit of its own, which the page of its options shows: one of the settings is none.
  const one = async () => (await node.get<{ download: DownloadRecord }>(`/downloads/${infoHash}`)).download
  assert.equal((await one()).own_max_download_speed, undefined)
  await node.request('PATCH', `/downloads/${infoHash}`, { max_download_speed: 29_696 })
  assert.equal((await one()).own_max_download_speed, 29_696)

  // A link to play what no player plays: it led to FileNotFound.
  const image = makeTorrent({ name: 'debian.iso', length: 50_000, seed: 56 })
  const imageHash = await addDownload(node, await writeTorrent(image, folder.path), await folder.sub('to'))
  const link = (...file: string[]) => runCli(['stream-url', imageHash, ...file, '--state-dir', node.stateDir])
  const refused = await link()
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /no selected file that a player plays.*stream-url DOWNLOAD FILE/)
  assert.match((await link('0')).stdout, /stream\/0/)
})

test('create says who cannot read what it made, and --v1 makes what all read', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const file = join(folder.path, 'film.bin')
  await writeFile(file, 'x'.repeat(40_000))
  const create = (...more: string[]) =>
    runCli(['create', file, '-o', join(folder.path, `${more.join('')}.torrent`), ...more])
  const hybrid = await create()
  assert.match(hybrid.stderr, /may refuse a hybrid torrent; --v1/)
  assert.equal((await create('--quiet')).stderr, '')
  const plain = await create('--v1')
  assert.deepEqual([plain.code, plain.stderr], [0, ''])
  assert.match(plain.stdout, /\nv1 [0-9a-f]{40}\n$/)
})
