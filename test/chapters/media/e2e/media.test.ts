// Facts of films over the interface of the built node: of a complete download, where the second ask reads nothing; of
// one that comes in from another node, whose missing bytes are asked for; of what is no film; and the command.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent, type MadeTorrent, seededBytes } from '../../../kit/content/make-torrent.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import type { Media } from '../../../../src/chapters/media/client/routes.ts'
import { Films } from '../kit/films.ts'

const PIECE = 64 * 1024

describe('facts of films', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: Films
  let folder: TestFolder
  let made: MadeTorrent
  let seeder: NodeProcess
  let node: NodeProcess
  let infoHash = ''

  const mediaOf = (one: NodeProcess, index: number, query = '') =>
    one.request('GET', `/downloads/${infoHash}/media/${index}${query}`)
  const factsOf = async (one: NodeProcess, index: number, query = ''): Promise<Media> => {
    const reply = await mediaOf(one, index, query)
    assert.equal(reply.status, 200, reply.body.toString())
    return reply.json<{ media: Media }>().media
  }

  before(async () => {
    folder = await makeTestFolder()
    films = await Films.open()
    const names = ['film.mkv', 'end.mp4', 'film.ts', 'film.avi'] as const
    const files = []
    for (const name of names) files.push({ path: name, content: await readFile(await films.make(name)) })
    files.push({ path: 'notes.txt', content: new TextEncoder().encode('#EXTM3U\nfile:///etc/passwd\n') })
    files.push({ path: 'rest.bin', content: seededBytes(40 * PIECE) })
    files.push({ path: 'start.mp4', content: await readFile(await films.make('start.mp4')) })
    made = makeTorrent({ name: 'films', files, pieceLength: PIECE })
    ;({ infoHash } = made)
    const data = await folder.sub('data')
    await writeContent(made, data, 'films')
    seeder = await startNode()
    await addDownload(seeder, await writeTorrent(made, folder.path), data)
    await downloadComplete(seeder, infoHash)
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    await films?.close()
    await folder?.remove()
  })

  test('a complete film is told, kept, and told again without being read', async () => {
    const first = await factsOf(seeder, 0)
    assert.equal(first.complete, true)
    assert.equal(first.facts?.container, 'matroska')
    assert.deepEqual([first.forecast?.state, first.forecast?.start_in, first.forecast?.missing_bytes], ['plays', 0, 0])
    assert.deepEqual(
      first.facts?.tracks.map(({ kind, codec, language, channels }) => [kind, codec, language, channels]),
      [
        ['video', 'h264', 'und', 0],
        ['audio', 'aac', 'eng', 2],
        ['audio', 'ac3', 'deu', 6],
        ['subtitle', 'srt', 'fra', 0],
        ['subtitle', 'ass', 'und', 0],
      ],
    )
    assert.deepEqual(
      first.facts?.chapters.map(({ title }) => title),
      ['Opening – Anfang', 'The rest'],
    )
    const kept = await waitFor('the facts are kept', async () => {
      const names = await readdir(join(seeder.stateDir, 'media')).catch((): string[] => [])
      return names.includes(`${infoHash}-0.json`)
    })
    assert.ok(kept)
    // How many are connected, and what comes in, may have changed.
    assert.deepEqual({ ...(await factsOf(seeder, 0)), forecast: null }, { ...first, forecast: null })
    const short = await factsOf(seeder, 0, '?keyframes=false')
    assert.deepEqual([short.facts?.keyframes?.count, short.facts?.keyframes?.times], [2, []])
  })

  test('AVI is told too; what is no film is refused with its code, and a playlist is not followed', async () => {
    assert.deepEqual(
      [(await factsOf(seeder, 3)).facts?.container, (await factsOf(seeder, 3)).facts?.seek],
      ['avi', 'keys'],
    )
    for (const index of [4, 5]) {
      const reply = await mediaOf(seeder, index)
      assert.equal(reply.status, 422)
      assert.match(reply.body.toString(), /MediaUnreadable.*The film cannot be read: it is/)
    }
    assert.equal((await mediaOf(seeder, 9)).status, 404)
    assert.equal((await mediaOf(seeder, 0, '?wait=1000')).status, 400)
  })

  test('of a film that nobody has sent, the answer says what is missing; its pieces are asked for first', async () => {
    node = await startNode({ settings: { 'libtorrent.max_download_rate': 300_000 } })
    const destination = await folder.sub('incoming')
    await addDownload(node, await writeTorrent(made, folder.path), destination)
    const nothing = await factsOf(node, 1, '?wait=0')
    assert.deepEqual([nothing.complete, nothing.facts, nothing.forecast], [false, null, null])
    assert.deepEqual(nothing.missing, [nothing.wanted])
    assert.ok(nothing.missing_bytes > 0 && nothing.missing_bytes <= 64 * 1024, JSON.stringify(nothing))
    const asked = factsOf(node, 1, '?wait=60')
    const magnet = `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.1:${await portOf(seeder)}`
    await addDownload(node, magnet, destination)
    const found = await asked
    assert.equal(found.complete, true)
    assert.equal(found.facts?.container, 'mp4')
    assert.equal(found.facts?.keyframes?.count, 2)
  })

  test('from when on it plays: while it comes in, and from a place', async () => {
    const alone = await startNode({ settings: { 'libtorrent.max_download_rate': 100_000 } })
    try {
      const destination = await folder.sub('forecast')
      await addDownload(alone, await writeTorrent(made, folder.path), destination)
      await addDownload(alone, `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.1:${await portOf(seeder)}`, destination)
      // Somebody plays it: its pieces come in their order.
      alone.request('GET', `/downloads/${infoHash}/stream/6`).catch(() => undefined)
      const first = await waitFor('a forecast', async () => (await factsOf(alone, 6, '?wait=5')).forecast)
      assert.deepEqual([first.from, first.stops_at, first.sources], [0, null, 1])
      const last = await waitFor('it plays', async () => {
        const { forecast } = await factsOf(alone, 6, '?keyframes=false')
        return forecast?.state === 'plays' ? forecast : null
      })
      assert.deepEqual([last.start_in, last.helps], [0, []])
      const later = await factsOf(alone, 6, '?from=9.5')
      assert.deepEqual([later.forecast?.from, (later.forecast?.missing_bytes ?? 0) <= last.missing_bytes], [9.5, true])
      assert.equal((await mediaOf(alone, 6, '?from=-1')).status, 400)
    } finally {
      await alone.stop()
    }
  })

  test('of a film that is played while it comes in, the node finds the facts out by itself', async () => {
    const player = await startNode({ settings: { 'libtorrent.max_download_rate': 100_000 } })
    try {
      const destination = await folder.sub('played')
      await addDownload(player, await writeTorrent(made, folder.path), destination)
      // Nine seconds of download, which the end of the node cuts.
      for (const index of [4, 6]) player.request('GET', `/downloads/${infoHash}/stream/${index}`).catch(() => undefined)
      await addDownload(player, `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.1:${await portOf(seeder)}`, destination)
      const kept = await waitFor('facts', async () => {
        const names = await readdir(join(player.stateDir, 'media')).catch((): string[] => [])
        return names.some(name => name.endsWith('.json')) ? names : null
      })
      assert.deepEqual(kept, [`${infoHash}-6.json`])
    } finally {
      await player.stop()
    }
  })

  test('texts inside of films: WebVTT by route and command, of Matroska and MP4, and what there is none of', async () => {
    const texts = async (index: number, track: number, query = ''): Promise<[number, string]> => {
      const reply = await seeder.request('GET', `/downloads/${infoHash}/media/${index}/subtitles/${track}${query}`)
      return [reply.status, reply.body.toString()]
    }
    const whole = `WEBVTT\n\nNOTE covered 0.000-240.000\n\n00:00:01.023 --> 00:00:02.023\nHello\n\n00:00:05.023 --> 00:00:06.023\nWorld\n`
    for (const [index, track] of [
      [0, 4],
      [0, 5],
      [1, 4],
    ] as const)
      assert.deepEqual(await texts(index, track), [200, whole], `${index}, ${track}`)
    assert.deepEqual(await texts(0, 4, '?from=2&to=4'), [200, 'WEBVTT\n\nNOTE covered 2.000-4.000\n'])
    assert.equal((await texts(0, 2))[0], 404)
    assert.equal((await texts(2, 2))[0], 404, 'a transport stream')
    assert.equal((await texts(9, 2))[0], 404)
    const env = { TRIBUTARY_STATE_DIR: seeder.stateDir }
    const shown = await runCli(['subtitles', 'films', '4', 'film.mkv'], env)
    assert.deepEqual([shown.code, shown.stderr, shown.stdout], [0, '', whole.replace(/NOTE .*\n\n/, '')])
    assert.match((await runCli(['subtitles', 'films', '2', 'film.mkv'], env)).stderr, /no text but aac/)
    assert.match((await runCli(['subtitles', 'films', 'x', 'film.mkv'], env)).stderr, /number of a track/)
  })

  test('the command shows a table, and with --json what the node says', async () => {
    const env = { TRIBUTARY_STATE_DIR: seeder.stateDir }
    const human = await runCli(['media', 'films', 'film.mkv'], env)
    assert.equal(human.code, 0, human.stderr)
    assert.match(human.stdout, /matroska, 0:00:10, .*Mbit\/s\nSeeking: anywhere \(2 key frames\)/)
    assert.match(human.stdout, /\nPlays to the end without a stall: all of it is there\.\n/)
    const place = await runCli(['media', 'films', 'film.mkv', '--from', '0:04'], env)
    assert.match(place.stdout, /\nPlays from 0:00:04 on to the end/)
    assert.match((await runCli(['media', 'films', '--from', 'soon'], env)).stderr, /It must be a time/)
    assert.match(human.stdout, /audio +ac3 +deu +5\.1, 44\.1 kHz +Deutsch 5\.1/)
    const json = await runCli(['media', infoHash, '1', '--json'], env)
    assert.equal((JSON.parse(json.stdout) as Media).facts?.container, 'mp4')
    const patient = await runCli(['media', infoHash, '1', '--wait', '121'], env)
    assert.match(patient.stderr, /at most 120/)
    const longest = await runCli(['media', infoHash], env)
    assert.equal(longest.code, 1)
    assert.match(longest.stderr, /The film cannot be read: it is none of the containers/)
  })
})

async function portOf(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return Number(variables.ports['libtorrent~port'])
}
