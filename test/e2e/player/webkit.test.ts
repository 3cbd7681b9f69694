// The player in Debian's WebKitGTK, which decodes by GStreamer: AC-3 too, with its plugin of FFmpeg.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeFilm } from '../../kit/content/films.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { type DrivenWebKit, startWebKit, WEBKIT } from '../../kit/nodes/webkit.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { playerRows, TROUBLE, WAYS_OUT } from './browser-rows.ts'
import { BY_PAGE, sounds } from './heard.ts'
import { addComplete } from './scene.ts'

const skip = needs(...WEBKIT, 'ffmpeg')

playerRows({ name: 'WebKitGTK', skip, start: () => startWebKit(), heard: sounds(330), lacksAc3: false })

describe('player in WebKitGTK where the plugin of FFmpeg is not installed', { skip, timeout: 120_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let page: DrivenWebKit
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-webkit-'))
    node = await startNode()
    const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', '-b:v', '400k']
    const film = await makeFilm({ container: 'mkv', video, audio: ['-c:a', 'ac3', '-ac', '6'], seconds: 30 })
    infohash = await addComplete(node, folder, 'Film', [{ path: 'film.mkv', content: film }])
    page = await startWebKit(['avdec_ac3', 'avdec_ac3_fixed', 'avdec_eac3', 'a52dec'])
    await page.goto(node.baseUrl)
    await page.evaluate(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
  })
  after(async () => {
    await page?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('AC-3 is converted by the page and heard; where its media source fails, which it does at times, that is said', async context => {
    await page.goto('about:blank')
    await page.goto(`${node.baseUrl}/#/play/${infohash}/0`)
    // A film is played by the page before it can be listened to, and fails at once or never.
    const told = `/cannot play the sound/.test(${TROUBLE})`
    const heard = `${BY_PAGE} && document.querySelector('video').currentTime > 1 && ${sounds(330)}`
    await waitFor('sound, or words', async () => (await page.evaluate(`${told} || (${heard})`)) === true, 30_000)
    const byPage = await page.evaluate(BY_PAGE)
    context.diagnostic(byPage === true ? 'heard' : 'told')
    if (byPage !== true) assert.deepEqual(await page.evaluate(WAYS_OUT), [])
  })
})
