// Films in segments from the built node: ffmpeg and mpv play them from any place by a link alone; of a download that
// comes in, a segment is there before the rest; of clients that leave nothing stays.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent, type MadeTorrent, seededBytes } from '../../../kit/content/make-torrent.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

const run = promisify(execFile)
const PIECE = 64 * 1024

describe('films in segments', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  let folder: TestFolder
  let made: MadeTorrent
  let seeder: NodeProcess
  let node: NodeProcess | null = null
  const names = ['film.mkv', 'film.mp4']

  before(async () => {
    folder = await makeTestFolder()
    films = await SegmentFilms.open()
    const files = []
    for (const name of names) files.push({ path: name, content: await readFile(await films.make(name, 48_000, [])) })
    const converted = await films.make('sound.mkv', 48_000, ['-c:a', 'ac3', '-ac', '6'])
    files.push({ path: 'sound.mkv', content: await readFile(converted) })
    files.push({ path: 'notes.txt', content: Buffer.from('#EXTM3U\nfile:///etc/passwd\n') })
    files.push({ path: 'rest.bin', content: seededBytes(60 * PIECE) })
    made = makeTorrent({ name: 'films', files, pieceLength: PIECE })
    const data = await folder.sub('data')
    await writeContent(made, data, 'films')
    seeder = await startNode()
    await addDownload(seeder, await writeTorrent(made, folder.path), data)
    await downloadComplete(seeder, made.infoHash)
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    await films?.close()
    await folder?.remove()
  })

  /** The address that the command gives. */
  async function addressOf(one: NodeProcess, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runCli(['hls', made.infoHash, ...args], {
      TRIBUTARY_STATE_DIR: one.stateDir,
    })
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }

  for (const name of names)
    test(`${name}: all of it, and any place of it, by a link alone`, async () => {
      const url = await addressOf(seeder, name)
      assert.match(url, /^http:.*\/hls\/\d\/master\.m3u8\?token=/)
      const [pictures, sounds] = [await films.packets(url, 'v'), await films.packets(url, 'a')]
      assert.equal(pictures.length, 576)
      assert.ok(sounds.length >= 1124, `${sounds.length} frames of sound`)
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', url, '-f', 'null', '-'), '')
      // The very picture that the film has there.
      for (const at of ['1.02', '4.02', '5.1', '12.02', '20.5']) {
        const picture = async (input: string): Promise<string> => {
          const out = ['-frames:v', '1', '-an', '-f', 'framemd5', '-']
          const { stdout } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-ss', at, '-i', input, ...out])
          return stdout.trim().split(',').at(-1) ?? ''
        }
        assert.equal(await picture(url), await picture(films.path(name)), `at ${at} s`)
      }
    })

  test('AC-3 becomes AAC', async () => {
    const url = await addressOf(seeder, 'sound.mkv')
    const sounds = await films.packets(url, 'a')
    assert.ok(Math.abs(sounds.length - 1125) <= 2, `${sounds.length} frames of sound`)
    assert.equal(await films.ffmpeg('-v', 'warning', '-i', url, '-f', 'null', '-'), '')
    const { stdout } = await run('ffprobe', [
      ...'-v error -select_streams a:0 -show_entries'.split(' '),
      'stream=codec_name,channels',
      ...'-of csv=p=0'.split(' '),
      url,
    ])
    assert.match(stdout, /^aac,2/)
  })

  test('mpv plays it from any place to its end', { skip: needs('mpv') }, async () => {
    const url = await addressOf(seeder, 'film.mkv')
    const noSound = ['--ao=null', '--ao-null-untimed']
    const quick = ['--no-config', '--vo=null', ...noSound, '--untimed', '--term-status-msg=at ${time-pos}']
    for (const start of [15, 0, 4.9, 14.3, 20.5]) {
      const { stdout, stderr } = await run('mpv', [...quick, `--start=${start}`, url])
      const shown = `${stdout}${stderr}`
      assert.match(shown, /Exiting\.\.\. \(End of file\)/)
      const places = [...shown.matchAll(/at (\d+):(\d+):(\d+)/g)].map(
        ([, h, m, s]) => Number(h) * 3600 + Number(m) * 60 + Number(s),
      )
      const [first, last] = [Math.min(...places), Math.max(...places)]
      assert.ok(first >= start - 1 && first <= start + 2 && last >= 22, `from ${start} s: ${places.join(' ')}`)
    }
  })

  test('a given link opens it too, until it is taken back', async () => {
    const url = await addressOf(seeder, 'film.mkv', '--days', '7')
    assert.equal((await fetch(url)).status, 200)
    const { links } = await seeder.get<{ links: { id: string }[] }>('/links')
    for (const { id } of links) await seeder.request('DELETE', `/links/${id}`)
    assert.equal((await fetch(url)).status, 403)
    assert.equal((await fetch(await addressOf(seeder, 'film.mkv', '--one-device'))).status, 200)
    const given = await seeder.get<{ links: { one_device: boolean; device: string | null }[] }>('/links')
    assert.deepEqual(
      given.links.map(({ one_device, device }) => [one_device, device]),
      [[true, '127.0.0.1']],
    )
  })

  test('what is no film says so; a playlist in a torrent is not followed', async () => {
    for (const index of [3, 4]) {
      const reply = await seeder.request('GET', `/downloads/${made.infoHash}/hls/${index}/master.m3u8`)
      assert.equal(reply.status, 422, reply.body.toString())
    }
    assert.equal((await seeder.request('GET', `/downloads/${made.infoHash}/hls/0/segments/99.ts`)).status, 404)
  })

  /** Figures of segments. */
  interface Figures {
    readonly begun: number
    /** There was no place for them. */
    readonly refused: number
    readonly underWay: number
    readonly making: number
    /** Their client went while they were made, and what they took from then on, together. */
    readonly left: number
    readonly leftSec: number
  }

  async function figures(): Promise<Figures> {
    const text = (await seeder.request('GET', '/metrics')).body.toString()
    const sum = (name: RegExp): number => [...text.matchAll(name)].reduce((all, [, value]) => all + Number(value), 0)
    return {
      begun: sum(/^tributary_film_segments_total (\d+)$/gm),
      refused: sum(/^tributary_film_segments_refused_total (\d+)$/gm),
      underWay: sum(/^tributary_film_segments\{.*\} (\d+)$/gm),
      making: sum(/^tributary_film_segments\{state="making"\} (\d+)$/gm),
      left: sum(/^tributary_film_segments_left_total (\d+)$/gm),
      leftSec: sum(/^tributary_film_segments_left_seconds_total ([\d.e-]+)$/gm),
    }
  }

  test('of a thousand clients that leave at once nothing stays: the next one is served', async context => {
    const { pathname, search, port } = new URL(await addressOf(seeder, 'film.mkv'))
    const path = pathname.replace('master.m3u8', 'segments/')
    // From here on every request comes as far as to the places.
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}0.ts${search}`)).status, 200)
    const before = await figures()
    for (let round = 0; round < 10; round += 1) {
      const asked = Array.from({ length: 100 }, async (_, at) => {
        const client = httpRequest({ port, path: `${path}${at % 4}.ts${search}`, agent: false })
        client.on('error', () => undefined)
        client.on('response', response => response.destroy())
        const sent = once(client, 'finish')
        client.end()
        await sent
        return client
      })
      for (const client of await Promise.all(asked)) client.destroy()
    }
    await waitFor('no segment is under way', async () => (await figures()).underWay === 0, 10_000, figures)
    const after = await figures()
    const [begun, refused] = [after.begun - before.begun, after.refused - before.refused]
    context.diagnostic(`${begun} segments were begun, ${refused} refused`)
    assert.equal(begun + refused, 1000, 'each of them was heard')
    // A film has twelve places, and a round is not over before its clients have left.
    assert.ok(begun >= 12, `${begun} were begun`)
    const reply = await fetch(`http://127.0.0.1:${port}${path}1.ts${search}`)
    assert.equal(reply.status, 200)
    assert.ok((await reply.arrayBuffer()).byteLength > 10_000)
  })

  test('what makes a segment is free a tenth of a second after its client has gone', async context => {
    const { pathname, search, port } = new URL(await addressOf(seeder, 'sound.mkv'))
    const path = pathname.replace('master.m3u8', 'segments/')
    // What has not begun yet is free at once.
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}0.ts${search}`)).status, 200)
    const before = await figures()
    let now = before
    for (let turn = 0; turn < 60 && now.left - before.left < 10; turn += 1) {
      const client = httpRequest({ port, path: `${path}${turn % 4}.ts${search}`, agent: false })
      client.on('error', () => undefined)
      const answered = once(client, 'response').catch(() => undefined)
      client.end()
      let isAnswered = false
      void answered.then(() => (isAnswered = true))
      await waitFor('it is made', async () => isAnswered || (await figures()).making > 0)
      client.destroy()
      now = await waitFor('nothing is', async () => {
        const found = await figures()
        return found.underWay === 0 ? found : null
      })
    }
    const left = now.left - before.left
    assert.ok(left >= 10, `${left} were left`)
    const ms = ((now.leftSec - before.leftSec) * 1000) / left
    context.diagnostic(`${ms.toFixed(1)} ms of ${left}`)
    assert.ok(ms <= 100, `${ms} ms`)
  })

  test('of a download that comes in, a segment is there long before the rest', async () => {
    node = await startNode({ settings: { 'libtorrent.max_download_rate': 200_000 } })
    const destination = await folder.sub('incoming')
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`, destination)
    const asked = node.request('GET', `/downloads/${made.infoHash}/hls/0/segments/2.ts`)
    const reply = await asked
    assert.equal(reply.status, 200, reply.body.toString().slice(0, 300))
    assert.ok(reply.body.length > 10_000)
    const { downloads } = await node.get<{ downloads: { progress: number }[] }>('/downloads')
    assert.ok((downloads[0]?.progress ?? 1) < 0.9, `${downloads[0]?.progress}`)
    assert.deepEqual(
      reply.body,
      (await seeder.request('GET', `/downloads/${made.infoHash}/hls/0/segments/2.ts`)).body,
      'the same as of a node that has all of it',
    )
  })
})
