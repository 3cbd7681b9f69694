// hls.js in a page of another origin, GStreamer, and VLC as an ordinary user: they play a film in segments from its
// start and from places in it, picture and sound, by nothing but its address.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent, type MadeTorrent } from '../../../kit/content/make-torrent.ts'
import { CHROMIUM, startBrowser } from '../../../kit/nodes/browser.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { startProgram } from '../../../kit/started-program.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { gstreamerPlays } from '../kit/gstreamer.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

/** VLC does not run as root. */
const ORDINARY = ['--reuid=65534', '--regid=65534', '--clear-groups']
const SCRIPT = createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js')

const PAGE = `<!doctype html><meta charset="utf-8"><title>another origin</title><video muted playsinline></video>
<script src="/hls.js"></script>
<script>
var video = document.querySelector('video')
var seen = (window.seen = { fatal: [], waiting: 0 })
video.addEventListener('waiting', () => (seen.waiting += 1))
window.play = url => {
  const hls = (window.hls = new Hls())
  hls.on(Hls.Events.ERROR, (event, data) => data.fatal && seen.fatal.push(data.details))
  hls.loadSource(url)
  hls.attachMedia(video)
  return video.play()
}
</script>`

/** A text for each two seconds of a film: `line 0`, `line 1`, ... */
const LINES = Array.from({ length: 12 }, (_, at) => {
  const time = (second: number): string => `00:00:${String(second).padStart(2, '0')}`
  return `${at + 1}\n${time(at * 2)},000 --> ${time(at * 2 + 1)},900\nline ${at}\n`
}).join('\n')
const SHOWS = `(() => {
  const active = [...video.textTracks].flatMap(track => [...(track.activeCues ?? [])])
  return active.length === 1 && active[0].text === 'line ' + Math.floor(video.currentTime / 2)
})()`

/** What began before the segment that is played is shown, and once. */
const LONG = `(() => {
  const tracks = [...video.textTracks].filter(({ mode }) => mode !== 'disabled')
  const [all, active] = ['cues', 'activeCues'].map(name => tracks.flatMap(track => [...(track[name] ?? [])]))
  return video.currentTime < 9 && active.length === 1 && all.filter(({ text }) => text === 'long').length === 1
})()`

interface Shown {
  readonly at: number
  readonly width: number
  readonly sound: number
  readonly fatal: readonly string[]
  readonly waiting: number
}

// Side by side: they mostly wait for the film's own clock.
describe('players of segments', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 3 }, () => {
  let films: SegmentFilms
  let folder: TestFolder
  let made: MadeTorrent
  let node: NodeProcess
  const names = ['film.mkv', 'sound.mkv', 'opus.mkv']

  before(async () => {
    folder = await makeTestFolder()
    films = await SegmentFilms.open()
    const ways = [[], ['-c:a', 'ac3', '-ac', '6'], ['-c:a', 'libopus']]
    const files = []
    for (const [at, name] of names.entries())
      files.push({ path: name, content: await readFile(await films.make(name, 48_000, ways[at] ?? [])) })
    await writeFile(films.path('lines.srt'), LINES)
    // The first border lies at 5 s.
    await writeFile(films.path('long.srt'), '1\n00:00:03,000 --> 00:00:09,000\nlong\n')
    const inputs = ['film.mkv', 'lines.srt', 'long.srt'].flatMap(name => ['-i', films.path(name)])
    const args = ['-map', '0', '-map', '1', '-map', '2', '-c', 'copy', '-c:s', 'srt', '-metadata:s:s:0', 'language=fra']
    await films.ffmpeg('-v', 'error', '-y', ...inputs, ...args, films.path('texts.mkv'))
    files.push({ path: 'texts.mkv', content: await readFile(films.path('texts.mkv')) })
    made = makeTorrent({ name: 'films', files, pieceLength: 64 * 1024 })
    const data = await folder.sub('data')
    await writeContent(made, data, 'films')
    node = await startNode()
    await addDownload(node, await writeTorrent(made, folder.path), data)
    await downloadComplete(node, made.infoHash)
  })
  after(async () => {
    await node?.stop()
    await films?.close()
    await folder?.remove()
  })

  async function addressOf(name: string): Promise<string> {
    const { code, stdout, stderr } = await runCli(['hls', made.infoHash, name], { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }

  describe('hls.js in a page of another origin', { skip: needs(CHROMIUM), concurrency: 2 }, () => {
    let server: Server
    let browser: Browser
    before(async () => {
      const script = await readFile(SCRIPT)
      server = createServer((request, response) => {
        const isScript = request.url === '/hls.js'
        response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
        response.end(isScript ? script : PAGE)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      browser = await startBrowser()
    })
    after(async () => {
      await browser?.close()
      server?.close()
    })

    async function shownIn(page: Page): Promise<Shown> {
      const facts = 'at: video.currentTime, width: video.videoWidth, sound: video.webkitAudioDecodedByteCount'
      return page.evaluate<Shown>(`({ ${facts}, ...seen })`)
    }

    for (const name of names)
      test(`${name}: plays, crosses borders, and seeks`, { timeout: 90_000 }, async t => {
        const page = await browser.newPage()
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
        const url = await addressOf(name)
        const since = performance.now()
        await page.evaluate(`play(${JSON.stringify(url)})`)
        const reached = (place: number): Promise<Shown> =>
          waitFor(
            `it plays at ${place} s`,
            async () => {
              const shown = await shownIn(page)
              return shown.at >= place && shown.at < place + 6 && shown.sound > 0 ? shown : null
            },
            30_000,
            () => shownIn(page),
          )
        const first = await reached(0.1)
        t.diagnostic(`${name}: first picture after ${(performance.now() - since).toFixed(0)} ms`)
        assert.equal(first.width, 320)
        // The first border lies at 5 s.
        const crossed = await reached(6)
        assert.ok(crossed.sound > first.sound, 'its sound goes on')
        for (const place of [15, 2]) {
          const asked = performance.now()
          await page.evaluate(`void (video.currentTime = ${place})`)
          await reached(place + 0.2)
          t.diagnostic(`${name}: at ${place} s after ${(performance.now() - asked).toFixed(0)} ms`)
        }
        assert.deepEqual((await shownIn(page)).fatal, [])
        await page.close()
      })

    test('texts inside of a film, at their time and after a jump', { timeout: 90_000 }, async () => {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await page.evaluate(`play(${JSON.stringify(await addressOf('texts.mkv'))})`)
      const until = (expression: string): Promise<unknown> =>
        waitFor(
          expression,
          () => page.evaluate(expression),
          30_000,
          () =>
            page.evaluate(
              `[...video.textTracks].flatMap(({ cues }) => [...(cues ?? [])].map(cue => [cue.startTime, cue.text]))`,
            ),
        )
      await until('hls.subtitleTracks.length === 2')
      assert.equal(await page.evaluate('hls.subtitleTracks[0].lang'), 'fra')
      await page.evaluate('void ((hls.subtitleDisplay = true), (hls.subtitleTrack = 0))')
      await until(`video.currentTime > 0.3 && ${SHOWS}`)
      await page.evaluate('void (video.currentTime = 15.2)')
      await until(`video.currentTime > 15.2 && ${SHOWS}`)
      await page.evaluate('void ((hls.subtitleTrack = 1), (video.currentTime = 7))')
      await until(LONG)
      await page.evaluate('void (video.currentTime = 3.2)')
      await until(`video.currentTime > 3.2 && ${LONG}`)
      await until(`video.currentTime > 5.5 && ${LONG}`)
      assert.deepEqual((await shownIn(page)).fatal, [])
      await page.close()
    })
  })

  test('players that take no texts play such a film as others', async () => {
    const url = await addressOf('texts.mkv')
    assert.equal((await films.packets(url, 'v')).length, 576)
    assert.equal(await films.ffmpeg('-v', 'error', '-i', url, '-f', 'null', '-'), '')
  })

  for (const name of ['film.mkv', 'sound.mkv'])
    test(`GStreamer plays ${name}, and seeks`, { skip: needs('gstreamer'), timeout: 260_000 }, async () => {
      const { heard, film } = await gstreamerPlays(await addressOf(name), [0, 15, 3, 9])
      for (const { place, video, audio } of heard)
        assert.ok(video > 20 && audio > 20, `from ${place} s: ${video} pictures, ${audio} frames of sound`)
      assert.match(film.video, /^video\/x-raw.*width=\(int\)320/)
      assert.match(film.audio, /^audio\/x-raw.*rate=\(int\)48000/)
      assert.ok(Math.abs(film.length - 24) < 0.2, `${film.length} s`)
    })

  test('GStreamer plays the film itself, and seeks', { skip: needs('gstreamer'), timeout: 260_000 }, async () => {
    const { files } = await node.get<{ files: { name: string; stream_url: string }[] }>(
      `/downloads/${made.infoHash}/files`,
    )
    const { stream_url: link = '' } = files.find(file => file.name.endsWith('sound.mkv')) ?? {}
    const { heard } = await gstreamerPlays(`${node.baseUrl}${link}`, [0, 15, 3])
    for (const { place, video, audio } of heard)
      assert.ok(video > 20 && audio > 20, `from ${place} s: ${video} pictures, ${audio} frames of sound`)
  })

  test('VLC plays, and seeks', { skip: needs('vlc', 'setpriv', 'root'), timeout: 90_000 }, async () => {
    const home = join(folder.path, 'home')
    await mkdir(home)
    await chmod(folder.path, 0o755)
    await chmod(home, 0o777)
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_RUNTIME_DIR: home,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    }
    const quiet = ['-I', 'rc', '--no-color', '--vout', 'dummy', '--aout', 'dummy', '--no-interact']
    const vlc = startProgram(['setpriv', ...ORDINARY, 'vlc', ...quiet, await addressOf('film.mkv')], { env })
    const reached = async (place: number): Promise<void> => {
      const before = vlc.text().length
      await waitFor(
        `VLC plays at ${place} s`,
        () => {
          vlc.child.stdin?.write('get_time\n')
          const times = [
            ...vlc
              .text()
              .slice(before)
              .matchAll(/^(?:> )*(\d+)\s*$/gm),
          ].map(([, digits]) => Number(digits))
          return times.some(at => at >= place && at < place + 6)
        },
        30_000,
        () => vlc.text().slice(-800),
      )
    }
    try {
      await reached(1)
      for (const place of [15, 4, 10]) {
        vlc.child.stdin?.write(`seek ${place}\n`)
        await reached(place)
      }
    } finally {
      await vlc.stop()
    }
  })
})
