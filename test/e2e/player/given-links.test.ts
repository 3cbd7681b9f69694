// A link given away in the dashboard: it plays in a browser that has no key, over a restart, until it is taken back.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { freePort } from '../../kit/free-port.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { axeFindings, CHROMIUM, startBrowser } from '../../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { addComplete, playerPage } from './scene.ts'

describe('given links', { skip: needs(CHROMIUM), concurrency: 1, timeout: 180_000 }, () => {
  let folder = ''
  let stateDir = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''
  /** The same port after the restart. */
  let args: string[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-given-'))
    stateDir = join(folder, 'state')
    args = ['--port', String(await freePort())]
    node = await startNode({ stateDir, args, settings: { 'api.link_hours': 2 } })
    infohash = await addComplete(node, folder, 'Film', [
      { path: 'Film.webm', content: seededBytes(200_000) },
      { path: 'Other.webm', content: seededBytes(100_000, 2) },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const links = async () => (await node.get<{ links: { id: string; url: string; name: string }[] }>('/links')).links
  const status = async (url: string) => (await fetch(node.baseUrl + url, { method: 'HEAD' })).status

  test('links of the list of files last as the setting says', async () => {
    const { files } = await node.get<{ files: { stream_url: string }[] }>(`/downloads/${infohash}/files`)
    const ends = Number(/token=(\d+)/.exec(files[0]?.stream_url ?? '')?.[1])
    const hours = ends / 3600 - Date.now() / 3_600_000
    assert.ok(hours > 1.7 && hours <= 2, `${hours} h`)
  })

  test('made, listed and taken back in the dashboard', async () => {
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    // What the browser cannot do is asked of the user by a prompt, which shows the link.
    page.on('dialog', dialog => void dialog.accept())
    await page.getByRole('button', { name: 'Give a link…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'For' }).fill('<b>Anna</b>')
    await dialog.getByLabel('It opens').selectOption({ label: 'until I take it back' })
    await dialog.getByLabel(/^For one device/).check()
    await dialog.getByRole('button', { name: 'Make and copy' }).click()
    await dialog.getByText('<b>Anna</b>').waitFor()
    await dialog.getByText('for one device (not opened yet)').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    const [link] = await links()
    assert.equal(await status(link?.url ?? ''), 200)
    await node.stop()
    node = await startNode({ stateDir, args })
    assert.equal(await status(link?.url ?? ''), 200, 'after a restart')
    await dialog.getByRole('button', { name: 'Take back' }).click()
    await dialog.getByText('<b>Anna</b>').waitFor({ state: 'detached' })
    assert.equal(await status(link?.url ?? ''), 403)
    // The node goes and comes back meanwhile, and what is no film has no facts (422).
    watched.check(/ERR_|403|422|503/)
    await page.context().close()
  })

  test('the command line makes, lists and takes back', async () => {
    const run = async (...args: string[]) => {
      const ended = await runCli([...args, '--state-dir', stateDir])
      assert.equal(ended.code, 0, ended.stderr)
      return ended.stdout.trim()
    }
    const url = (await run('stream-url', 'Film', '--days', '30', '--name', 'kodi')).replace(node.baseUrl, '')
    assert.equal((await fetch(node.baseUrl + url)).status, 200)
    const [link] = await links()
    assert.deepEqual([link?.name, link?.url], ['kodi', url])
    assert.match(await run('links', 'list'), /kodi/)
    await run('links', 'remove', link?.id ?? '')
    assert.equal((await fetch(node.baseUrl + url)).status, 403)
    await run('stream-url', 'Film', '--one-device')
    assert.match(await run('links', 'list', '--json'), /"one_device": ?true/)
  })
})
