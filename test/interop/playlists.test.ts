// mpv and VLC play a signed playlist link without any header, of a torrent that is still coming in: both films of it.
// VLC refuses root, so it runs as a user made for it.

import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { makeFilm } from '../kit/content/media-files.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const run = promisify(execFile)
const SECONDS = 4
const SUBTITLES = '1\n00:00:00,500 --> 00:00:03,000\nHello there\n'

interface Ended {
  readonly code: number | null
  readonly text: string
}

async function play(
  program: string,
  args: readonly string[],
  who: { uid?: number; gid?: number } = {},
): Promise<Ended> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/', ...who, env: playerEnv(who.uid) })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const late = setTimeout(() => child.kill('SIGKILL'), 90_000)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)
  return { code, text }
}

function playerEnv(uid: number | undefined): NodeJS.ProcessEnv {
  return uid === undefined ? process.env : { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8' }
}

describe('playlists', { skip: needs('ffmpeg', 'mpv'), concurrency: 1 }, () => {
  let folder = ''
  let made: MadeTorrent
  let seeder: NodeProcess
  let node: NodeProcess
  let link = ''

  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), 'tributary-playlist-'))
    const seeds = join(folder, 'seeds', 'Show')
    await mkdir(seeds, { recursive: true })
    await makeFilm(join(seeds, 'part 2.mp4'), SECONDS, 1500)
    await makeFilm(join(seeds, 'part 10.mkv'), SECONDS, 1500)
    await writeFile(join(seeds, 'part 2.en.srt'), SUBTITLES)
    await writeFile(join(seeds, 'readme.txt'), 'read me')
    const names = ['part 10.mkv', 'part 2.en.srt', 'part 2.mp4', 'readme.txt']
    const files = await Promise.all(names.map(async path => ({ path, content: await readFile(join(seeds, path)) })))
    made = makeTorrent({ name: 'Show', files, pieceLength: 32 * 1024 })
    await writeFile(join(folder, 'show.torrent'), made.torrent)
    seeder = await startNode()
    const request = { uri: join(folder, 'show.torrent'), destination: join(folder, 'seeds'), max_upload_speed: 350_000 }
    await seeder.request('PUT', '/downloads', request)
    await downloadComplete(seeder, made.infoHash)
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    node = await startNode()
    const uri = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
    await node.request('PUT', '/downloads', { uri, destination: join(folder, 'to') })
    await downloadUntil(node, made.infoHash, record => record.total_pieces > 0)
    const listed = await node.get<{ playlist_url: string }>(`/downloads/${made.infoHash}/files`)
    link = `${node.baseUrl}${listed.playlist_url}`
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  test('mpv plays both films, the first while most of it is missing', { timeout: 120_000 }, async () => {
    const before = (await downloadRecord(node, made.infoHash)).progress
    assert.ok(before < 0.7, `progress ${before}`)
    const { code, text } = await play('mpv', ['--no-config', '--vo=null', '--ao=null', '--untimed', link])
    assert.equal(code, 0, text.slice(-3000))
    const played = [...text.matchAll(/^.*Playing: http\S+\/(part%20\d+\.\w+)\?token=/gm)].map(match => match[1])
    assert.deepEqual(played, ['part%202.mp4', 'part%2010.mkv'], text.slice(-3000))
    assert.match(text, /VO: \[null\] 640x360/)
  })

  test('VLC plays both films', {
    skip: needs('vlc', 'real-root', 'useradd'),
  }, async () => {
    const user = `tributary-${process.pid}`
    await run('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', user])
    try {
      const id = (flag: string): number => Number(spawnSync('id', [flag, user]).stdout.toString())
      const args = ['--intf', 'dummy', '--vout', 'none', '--aout', 'none', '--no-lua', '--play-and-exit', '-vv', link]
      const { code, text } = await play('vlc', args, { uid: id('-u'), gid: id('-g') })
      assert.equal(code, 0, text.slice(-3000))
      for (const name of ['part%202.mp4', 'part%2010.mkv']) assert.ok(text.includes(name), text.slice(-6000))
      assert.equal(text.match(/using video decoder module/g)?.length, 2, text.slice(-6000))
      // The list itself has an end too.
      assert.ok((text.match(/EOF reached/g)?.length ?? 0) >= 3, text.slice(-6000))
    } finally {
      await run('userdel', [user])
    }
  })

  test('tributary play starts mpv with the subtitles beside the film', { timeout: 60_000 }, async () => {
    const options = ['--no-config', '--vo=null', '--ao=null', '--untimed'].flatMap(arg => ['--player-arg', arg])
    const args = ['play', made.infoHash, 'part 2.mp4', '--player', 'mpv', ...options]
    const { code, stdout } = await runCli(args, { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(code, 0, stdout.slice(-3000))
    assert.match(stdout, /Subs\s+--sid=1 .*'part%202\.en\.srt.*subrip/)
    assert.match(stdout, /VO: \[null\] 640x360/)
  })

  test('an expired or changed link plays nothing', { timeout: 60_000 }, async () => {
    const { code, text } = await play('mpv', ['--no-config', '--vo=null', '--ao=null', `${link}x`])
    assert.notEqual(code, 0)
    assert.match(text, /403/)
  })
})
