// Subtitles inside of films in the player: of what the browser plays and of what the page repacks, at their time, after
// jumps, and while the film is not all there.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { addDownload } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { addComplete, PLAYED, playerPage } from './scene.ts'

const SECONDS = 100
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', '-bf', '2', '-b:v', '300k']
const PIECE = 64 * 1024

const timeOf = (second: number): string =>
  `00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`
/** A text for each two seconds: `<word> 0`, `<word> 1`, ... */
const linesOf = (word: string): string =>
  Array.from(
    { length: SECONDS / 2 },
    (_, at) => `${at + 1}\n${timeOf(at * 2)},000 --> ${timeOf(at * 2 + 1)},900\n${word} ${at}\n`,
  ).join('\n')

const VIDEO = `document.querySelector('video')`
const CUES = `[...${VIDEO}.textTracks].flatMap(track => [...(track.cues ?? [])])`
/** What is shown now is what belongs to the time. */
const shows = (word: string) => `(() => {
  const active = [...${VIDEO}.textTracks].flatMap(track => [...(track.activeCues ?? [])])
  return active.length === 1 && active[0].text === ${JSON.stringify(word)} + ' ' + Math.floor(${VIDEO}.currentTime / 2)
})()`
const jumpTo = (page: Page, second: number) => page.evaluate(`${VIDEO}.currentTime = ${second}`)
const choiceIn = (page: Page) => page.locator('.subtitle-choice select', { hasText: 'None' })

describe('player: subtitles inside of films', {
  skip: needs(CHROMIUM, 'ffmpeg'),
  concurrency: 1,
  timeout: 300_000,
}, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''
  let plain: Buffer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-film-texts-'))
    node = await startNode()
    const texts = [
      { srt: linesOf('<i>line</i>'), codec: 'srt', language: 'eng' },
      { srt: linesOf('<script>window.hacked = 1</script>ligne'), codec: 'ass', language: 'fra' },
    ]
    plain = await makeFilm({ container: 'mkv', seconds: SECONDS, texts })
    const forced = { srt: linesOf('sign'), language: 'eng', isForced: true }
    const timed = { srt: linesOf('timed'), codec: 'mov_text', language: 'deu' }
    const sound = ['-metadata:s:a:0', 'language=eng']
    infohash = await addComplete(node, folder, 'Texts', [
      { path: '0 plain.mkv', content: plain },
      {
        path: '1 repacked.mkv',
        content: await makeFilm({
          container: 'mkv',
          seconds: SECONDS,
          texts,
          video: H264,
          audio: ['-c:a', 'ac3', ...sound],
        }),
      },
      {
        path: '2 film.mp4',
        content: await makeFilm({
          container: 'mp4',
          seconds: SECONDS,
          texts: [timed],
          video: H264,
          audio: ['-c:a', 'aac', ...sound],
        }),
      },
      { path: '3 beside.srt', content: Buffer.from(linesOf('beside')) },
      {
        path: '4 forced.mkv',
        content: await makeFilm({
          container: 'mkv',
          texts: [...texts, { ...forced, codec: 'srt' }],
          audio: ['-c:a', 'libopus', ...sound],
        }),
      },
      {
        path: '5 fragments.mp4',
        content: await makeFilm({
          container: 'mp4',
          seconds: SECONDS,
          texts: [timed],
          video: H264,
          audio: ['-c:a', 'aac', ...sound, '-movflags', '+frag_keyframe+empty_moov'],
        }),
      },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('of a film that the browser plays: chosen, at their time, after jumps, moved, and taken away', async () => {
    const { page, check } = await playerPage(browser, node, infohash, 0)
    const choice = choiceIn(page)
    await choice.locator('option', { hasText: 'English' }).waitFor({ state: 'attached' })
    assert.deepEqual(await choice.locator('option').allTextContents(), ['None', 'English', 'French', '3 beside.srt'])
    assert.equal(await page.evaluate(`${CUES}.length`), 0, 'nothing is shown that was not chosen')
    await choice.selectOption({ label: 'English' })
    await untilInPage(page, `${PLAYED} > 0.5 && ${shows('line')}`)
    for (const place of [80.2, 30.4, 5]) {
      await jumpTo(page, place)
      await untilInPage(page, `${PLAYED} > ${place} && ${shows('line')}`)
    }
    await untilInPage(page, `${CUES}.length >= ${SECONDS / 2}`)
    const texts = await page.evaluate<string[]>(`${CUES}.map(cue => cue.startTime + cue.text)`)
    assert.equal(new Set(texts).size, texts.length, 'each once')
    assert.equal(texts.length, SECONDS / 2)
    const second = Number(await page.evaluate(`${CUES}[1].startTime`))
    // As browsers do when the source of a track is loaded.
    await page.evaluate(`(() => {
      const [track] = ${VIDEO}.textTracks
      for (const cue of [...track.cues]) track.removeCue(cue)
    })()`)
    await page.getByRole('button', { name: 'Subtitles later' }).click()
    await untilInPage(
      page,
      `${CUES}.length === ${SECONDS / 2} && Math.abs(${CUES}[1].startTime - ${second + 0.25}) < 0.001`,
    )
    assert.equal(await page.getByLabel('Encoding').count(), 0, 'it is known')
    await page.getByLabel('Size').selectOption({ label: '150 %' })
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('h1').click()
    await page.keyboard.press('c')
    await untilInPage(page, `${VIDEO}.textTracks[0].mode === 'hidden'`)
    await choice.selectOption({ label: 'French' })
    await untilInPage(page, `${CUES}.some(cue => cue.getCueAsHTML().textContent.endsWith('ligne 1'))`)
    assert.equal(await page.evaluate(`${CUES}.some(cue => cue.getCueAsHTML().querySelector('*') !== null)`), false)
    assert.equal(await page.evaluate('window.hacked'), undefined)
    await choice.selectOption({ label: '3 beside.srt' })
    await untilInPage(page, shows('beside'))
    await choice.selectOption({ label: 'None' })
    await untilInPage(page, `${VIDEO}.textTracks.length === 0`)
    check()
    await page.context().close()
  })

  test('of a film that the page repacks, from its start and after a jump', async () => {
    const { page, check } = await playerPage(browser, node, infohash, 1)
    await untilInPage(page, `${VIDEO}?.src.startsWith('blob:') && ${PLAYED} > 0.2`, 20_000)
    await choiceIn(page).selectOption({ label: 'English' })
    await untilInPage(page, shows('line'))
    await jumpTo(page, 70.3)
    await untilInPage(page, `${PLAYED} > 70.3 && ${shows('line')}`, 20_000)
    check()
    await page.context().close()
  })

  for (const [file, name] of [
    [2, 'MP4'],
    [5, 'MP4 in fragments'],
  ] as const)
    test(`of ${name}: timed texts`, async () => {
      const { page, check } = await playerPage(browser, node, infohash, file)
      await choiceIn(page).selectOption({ label: 'German' })
      await untilInPage(page, shows('timed'))
      await jumpTo(page, 90.1)
      await untilInPage(page, `${PLAYED} > 90.1 && ${shows('timed')}`)
      check()
      await page.context().close()
    })

  test('what is forced in the language that is heard is shown by itself; not when something was chosen', async () => {
    const { page, check } = await playerPage(browser, node, infohash, 4)
    await untilInPage(page, shows('sign'))
    assert.match((await choiceIn(page).locator('option:checked').textContent()) ?? '', /^English · forced$/)
    await choiceIn(page).selectOption({ label: 'None' })
    await untilInPage(page, `${VIDEO}.textTracks.length === 0`)
    check()
    await page.context().close()
  })

  test('of a film that is not all there: what is there, and the rest as it comes in; nothing when all is known', async () => {
    const made = makeTorrent({ name: 'Coming', files: [{ path: 'film.mkv', content: plain }], pieceLength: PIECE })
    const [whole, part] = [join(folder, 'whole'), join(folder, 'part')]
    const torrent = join(folder, 'coming.torrent')
    await writeFile(torrent, made.torrent)
    const half = Buffer.from(plain)
    half.fill(0, Math.floor(plain.length * 0.4), Math.floor(plain.length * 0.9))
    for (const [place, content] of [
      [whole, plain],
      [part, half],
    ] as const) {
      await mkdir(join(place, 'Coming'), { recursive: true })
      await writeFile(join(place, 'Coming', 'film.mkv'), content)
    }
    const leech = await startNode()
    try {
      await addDownload(node, torrent, whole)
      await addDownload(leech, torrent, part)
      await waitFor('what is there was found', async () => {
        const { downloads } = await leech.get<{ downloads: { progress: number }[] }>('/downloads')
        return (downloads[0]?.progress ?? 0) > 0.2
      })
      const { page, check } = await playerPage(browser, leech, made.infoHash, 0)
      const asked: string[] = []
      page.on('request', request => {
        if (/\/subtitles\//.test(request.url())) asked.push(request.url())
      })
      // Nobody has the rest: it would wait for ever.
      await page.getByRole('button', { name: 'Play now' }).click()
      await choiceIn(page).selectOption({ label: 'English' })
      await untilInPage(page, shows('line'))
      const known = Number(await page.evaluate(`${CUES}.length`))
      assert.ok(known >= 10 && known < SECONDS / 2, `${known} texts`)
      const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
      const port = Number(variables.ports['libtorrent~port'])
      await addDownload(leech, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${port}`, part)
      await untilInPage(page, `${CUES}.length === ${SECONDS / 2}`, 60_000)
      await jumpTo(page, 70.3)
      await untilInPage(page, `${PLAYED} > 70.3 && ${shows('line')}`, 20_000)
      const before = asked.length
      const at = Number(await page.evaluate(PLAYED))
      await untilInPage(page, `${PLAYED} > ${at + 4}`)
      assert.equal(asked.length, before, 'all is known')
      check()
      await page.context().close()
    } finally {
      await leech.stop()
    }
  })
})
