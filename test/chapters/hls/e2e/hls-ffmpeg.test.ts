// Films that need ffmpeg from the built node: DTS, Xvid in AVI and HEVC play by a link alone; what is too slow is said
// before it plays; processes end with their clients; and a program that is not there keeps nothing else from playing.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent, type MadeTorrent } from '../../../kit/content/make-torrent.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, type NodeReply, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { ffmpegPath } from '../kit/converted-films.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

const run = promisify(execFile)
const DTS = ['-c:a', 'dca', '-strict', '-2', '-ac', '2']
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:keyint=60', '-tag:v', 'hvc1']
const WAYS = {
  'dts.mkv': DTS,
  'xvid.avi': ['-c:v', 'libxvid', '-b:v', '1M', '-g', '120', '-c:a', 'libmp3lame'],
  'hevc.mp4': HEVC,
} as const
const NAMES = Object.keys(WAYS) as readonly (keyof typeof WAYS)[]

describe('films that need ffmpeg', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  let folder: TestFolder
  let made: MadeTorrent
  let seeder: NodeProcess
  let torrent: string
  let data: string
  const nodes: NodeProcess[] = []

  before(async () => {
    folder = await makeTestFolder()
    films = await SegmentFilms.open()
    const files = []
    for (const name of NAMES)
      files.push({ path: name, content: await readFile(await films.make(name, 48_000, WAYS[name])) })
    made = makeTorrent({ name: 'films', files, pieceLength: 64 * 1024 })
    data = await folder.sub('data')
    await writeContent(made, data, 'films')
    torrent = await writeTorrent(made, folder.path)
    seeder = await nodeWith(ffmpegPath())
  })
  after(async () => {
    for (const node of nodes) await node.stop()
    await films?.close()
    await folder?.remove()
  })

  async function nodeWith(ffmpeg: string): Promise<NodeProcess> {
    const node = await startNode({ settings: { 'media.ffmpeg': ffmpeg } })
    nodes.push(node)
    await addDownload(node, torrent, data)
    await downloadComplete(node, made.infoHash)
    return node
  }

  /** A program that does some lines before it becomes ffmpeg, when it converts. */
  async function programOf(name: string, line: string): Promise<string> {
    const path = join(folder.path, name)
    const script = `#!/bin/sh\ncase "$*" in *pipe:0*) ${line};; esac\nexec ${ffmpegPath()} "$@"\n`
    await writeFile(path, script)
    await chmod(folder.path, 0o755)
    await chmod(path, 0o755)
    return path
  }

  async function addressOf(name: string, ...args: string[]): Promise<string> {
    const state = { TRIBUTARY_STATE_DIR: seeder.stateDir }
    const { code, stdout, stderr } = await runCli(['hls', made.infoHash, name, ...args], state)
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }

  function pathOf(name: (typeof NAMES)[number], rest: string): string {
    return `/downloads/${made.infoHash}/hls/${NAMES.indexOf(name)}/${rest}`
  }

  /** Codecs that players see, and how loud its quietest tenth is, dB. */
  async function playedOf(url: string): Promise<{ codecs: string; pictures: number; loudest: number }> {
    const entries = ['-show_entries', 'stream=codec_name', '-of', 'csv=p=0']
    const { stdout } = await run('ffprobe', ['-v', 'error', ...entries, url])
    const filter = ['-af', 'volumedetect', '-vn', '-f', 'null', '-']
    const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-i', url, ...filter])
    const codecs = [...new Set(stdout.split('\n').filter(Boolean))].toSorted().join(' ')
    const [, loudest] = /max_volume: (-?[\d.]+) dB/.exec(stderr) ?? []
    return { codecs, pictures: (await films.packets(url, 'v')).length, loudest: Number(loudest) }
  }

  const messageOf = (reply: NodeReply): { code: string; message: string } =>
    reply.json<{ error: { code: string; message: string } }>().error

  /** Conversions by a program: groups of processes that have its path in their words. */
  async function processesOf(program: string): Promise<number[]> {
    const groups = new Set<number>()
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue
      const words = await readFile(join('/proc', name, 'cmdline'), 'latin1').catch(() => '')
      if (!words.split('\0').includes(program)) continue
      const stat = await readFile(join('/proc', name, 'stat'), 'latin1').catch(() => '')
      const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (group !== undefined) groups.add(Number(group))
    }
    return [...groups]
  }

  test('DTS plays with sound', async () => {
    const { codecs, pictures, loudest } = await playedOf(await addressOf('dts.mkv'))
    assert.deepEqual([codecs, pictures], ['aac h264', 576])
    assert.ok(loudest > -30, `${loudest} dB`)
  })

  test('Xvid in AVI plays, picture and sound', async () => {
    const { codecs, pictures, loudest } = await playedOf(await addressOf('xvid.avi'))
    assert.equal(codecs, 'h264 mp3')
    // Xvid writes two less than it is given.
    assert.ok(Math.abs(pictures - 574) <= 1, `${pictures} pictures`)
    assert.ok(loudest > -30, `${loudest} dB`)
  })

  test('HEVC is copied, and becomes H.264 for whoever asks', async () => {
    assert.equal((await playedOf(await addressOf('hevc.mp4'))).codecs, 'aac hevc')
    const { codecs, pictures } = await playedOf(await addressOf('hevc.mp4', '--h264'))
    assert.deepEqual([codecs, pictures], ['aac h264', 576])
  })

  test('a film that cannot be converted fast enough says so before it plays', async () => {
    const node = await nodeWith(await programOf('slow', 'sleep 2'))
    for (const rest of ['master.m3u8?picture=h264', 'index.m3u8?picture=h264', 'segments/0.ts?picture=h264']) {
      const reply = await node.request('GET', pathOf('hevc.mp4', rest))
      assert.equal(reply.status, 422, rest)
      assert.equal(messageOf(reply).code, 'ConversionTooSlow')
      assert.match(
        messageOf(reply).message,
        /times as fast as it plays; it must be 1\.5 times\. Play the file itself in VLC/,
      )
    }
    assert.equal((await node.request('GET', pathOf('hevc.mp4', 'master.m3u8'))).status, 200, 'it is still copied')
  })

  test('a client that goes takes its conversion with it; of many, two have theirs, and others are told to ask again', async () => {
    const program = await programOf('held', 'sleep 1000')
    const node = await nodeWith(program)
    const master = await node.request('GET', pathOf('dts.mkv', 'master.m3u8'))
    const token = /token=([^&\s]+)/.exec(master.body.toString())?.[1] ?? ''
    const statuses: (string | undefined)[] = []
    const clients = Array.from({ length: 8 }, (_, at) => {
      const path = pathOf('dts.mkv', `segments/${at % 3}.ts?token=${token}`)
      const asked = httpRequest({ port: node.port, path })
      asked.on('error', () => undefined)
      asked.on('response', response => {
        statuses.push(`${response.statusCode} ${response.headers['retry-after'] === undefined ? '' : 'later'}`)
        response.resume()
      })
      asked.end()
      return asked
    })
    await waitFor(
      'six are refused',
      () => statuses.length === 6,
      15_000,
      () => statuses,
    )
    assert.deepEqual([...new Set(statuses)], ['503 later'])
    assert.equal((await processesOf(program)).length, 2)
    const since = performance.now()
    for (const client of clients) client.destroy()
    await waitFor('none runs', async () => (await processesOf(program)).length === 0)
    assert.ok(performance.now() - since < 1000, `${performance.now() - since} ms, with the look at all processes`)
  })

  test('a node that stops ends its conversions', async () => {
    const program = await programOf('stays', 'sleep 1000')
    const node = await nodeWith(program)
    const asked = node.request('GET', pathOf('dts.mkv', 'segments/0.ts')).catch(() => null)
    await waitFor('it runs', async () => (await processesOf(program)).length > 0)
    const { code } = await node.stop()
    assert.equal(code, 0)
    assert.deepEqual(await processesOf(program), [])
    await asked
  })

  test('a node that is killed leaves none behind, nor what they have started', async () => {
    const program = await programOf('orphan', 'sleep 98765')
    const node = await nodeWith(program)
    const asked = node.request('GET', pathOf('dts.mkv', 'segments/0.ts')).catch(() => null)
    await waitFor('it runs', async () => (await processesOf('98765')).length > 0)
    await node.kill('SIGKILL')
    await asked
    await waitFor(
      'none is left',
      async () => [...(await processesOf(program)), ...(await processesOf('98765'))].length === 0,
    )
  })

  test('where the program is not there the node starts, and says what to do; without a setting it says which', async () => {
    const node = await nodeWith('/nowhere/ffmpeg')
    const reply = await node.request('GET', pathOf('dts.mkv', 'master.m3u8'))
    assert.equal(reply.status, 422)
    assert.match(messageOf(reply).message, /its sound is dts.*sound=0.*see tributary doctor/)
    assert.equal((await node.request('GET', pathOf('hevc.mp4', 'master.m3u8'))).status, 200)
    const doctor = await runCli(['doctor', '--state-dir', node.stateDir, '--set', 'media.ffmpeg=/nowhere/ffmpeg'])
    assert.match(doctor.stdout, /ffmpeg +The program of media\.ffmpeg cannot be used: \/nowhere\/ffmpeg does not exist/)
    const without = await nodeWith('')
    const plain = await without.request('GET', pathOf('xvid.avi', 'master.m3u8'))
    assert.match(
      messageOf(plain).message,
      /its picture is mpeg4, which is not copied \(ffmpeg could convert it: see the setting media\.ffmpeg/,
    )
  })

  test('the program inherits nothing of the node but its three pipes', async () => {
    const program = await programOf('curious', 'ls -l /proc/self/fd >&2; exit 1')
    const node = await startNode({ settings: { 'media.ffmpeg': program, 'general.log_level': 'debug' } })
    nodes.push(node)
    await addDownload(node, torrent, data)
    await downloadComplete(node, made.infoHash)
    const reply = await node.request('GET', pathOf('dts.mkv', 'segments/0.ts'))
    assert.equal(reply.status, 422)
    assert.match(messageOf(reply).message, /A part of it cannot be converted: the program refuses it/)
    assert.doesNotMatch(messageOf(reply).message, /proc|pipe/)
    const said = await waitFor('what it said is in the log', () => {
      const { stdout, stderr } = node.logs()
      return `${stdout}${stderr}`.split('\n').find(line => line.includes('ffmpeg failed')) ?? null
    })
    const open = [...said.matchAll(/ (\d+) -> ([^\\]+)/g)].map(([, number = '', what = '']) => ({ number, what }))
    for (const number of ['0', '1', '2'])
      assert.match(open.find(one => one.number === number)?.what ?? '', /^(?:pipe|socket):/, said)
    // What this test itself was started with is not the node's; and there is the folder that is looked at.
    const ours = await Promise.all(
      (await readdir('/proc/self/fd')).map(number => readlink(`/proc/self/fd/${number}`).catch(() => '')),
    )
    const others = open.filter(({ number, what }) => Number(number) > 2 && !ours.includes(what))
    assert.ok(others.length === 1 && others[0]?.what.startsWith('/proc/'), said)
  })

  test('nobody names the program by a request', async () => {
    const reply = await seeder.request('POST', '/settings', { media: { ffmpeg: '/bin/true' } })
    assert.equal(reply.status, 400)
    assert.match(messageOf(reply).message, /names a program/)
    const { settings } = await seeder.get<{ settings: { media: { ffmpeg: string } } }>('/settings')
    assert.equal(settings.media.ffmpeg, ffmpegPath())
  })

  test('of a download that comes in, a segment is converted long before the rest is there', async () => {
    const node = await startNode({
      settings: { 'media.ffmpeg': ffmpegPath(), 'libtorrent.max_download_rate': 200_000 },
    })
    nodes.push(node)
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`, await folder.sub('incoming'))
    const reply = await node.request('GET', pathOf('dts.mkv', 'segments/2.ts'))
    assert.equal(reply.status, 200, reply.body.toString().slice(0, 300))
    const { downloads } = await node.get<{ downloads: { progress: number }[] }>('/downloads')
    assert.ok((downloads[0]?.progress ?? 1) < 0.9, `${downloads[0]?.progress}`)
    const whole = await seeder.request('GET', pathOf('dts.mkv', 'segments/2.ts'))
    assert.deepEqual(reply.body, whole.body, 'the same as of a node that has all of it')
  })
})
