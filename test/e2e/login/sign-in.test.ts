// A new user's first minute in Debian's Chromium against a real node: a link that signs in, once.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'

/** The probe for a node without a key, on every first visit. */
const PROBE = /401 \(Unauthorized\)/
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
/** As others in the network call the node. */
const NAME = 'node.example'
/** Chromium says so of every page that comes by a name without HTTPS. */
const OPENER = /Cross-Origin-Opener-Policy header has been ignored/
type Effective = { settings: Record<string, Record<string, { value: unknown }>> }
const KEPT = `localStorage.getItem('tributary.key')`

describe('signing in', { skip: needs(CHROMIUM, 'zbarimg'), concurrency: 1, timeout: 120_000 }, () => {
  let node: NodeProcess
  let browser: Browser
  before(async () => {
    node = await startNode({ settings: { 'api.host_names': JSON.stringify([NAME]) } })
    browser = await startBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
  })

  const newLink = async () => (await runCli(['open', '--print', '--state-dir', node.stateDir])).stdout.trim()
  /** The first visit: where downloads go and how fast the line is, without a mouse. */
  async function beginByKeyboard(page: Page): Promise<void> {
    const welcome = page.getByRole('dialog', { name: 'Welcome to Tributary' })
    await welcome
      .getByText(/in order|Open Doctor/)
      .first()
      .waitFor()
    const folder = join(node.stateDir, 'downloads', 'films')
    await welcome.getByLabel('Folder on the node').fill(folder)
    await welcome.getByLabel('Download', { exact: true }).fill('100')
    await welcome.getByLabel('Upload', { exact: true }).fill('fast')
    await welcome.getByText('This is not a speed.').waitFor()
    assert.equal(await welcome.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await welcome.getByLabel('Upload', { exact: true }).fill('40')
    await welcome.getByText('up to 10.7 MiB/s down and 3.81 MiB/s up').waitFor()
    await welcome.getByLabel('Unit').selectOption('MiB/s')
    assert.equal(await welcome.getByLabel('Download', { exact: true }).inputValue(), '11.92')
    await welcome.getByLabel('Unit').selectOption('Mbit/s')
    assert.match(await welcome.getByText(/systemctl/).innerText(), /^mkdir -p ~\/\.config\/systemd\/user && /)
    await welcome.getByText('The folder is made').or(welcome.getByText(/free/)).first().waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await welcome.getByLabel('Upload', { exact: true }).press('Enter')
    await welcome.waitFor({ state: 'detached' })
    const { settings } = await node.get<Effective>('/settings/effective')
    assert.equal(settings['download_defaults']?.['saveas']?.value, folder)
    const { max_download_rate: down, max_upload_rate: up } = settings['libtorrent'] ?? {}
    assert.ok(Math.abs(Number(down?.value) - 11_250_000) < 10_000, String(down?.value))
    assert.ok(Math.abs(Number(up?.value) - 4_000_000) < 10_000, String(up?.value))
  }

  const keys = async () => (await node.get<{ keys: { name: string }[] }>('/keys')).keys.map(({ name }) => name)

  test('a link: one click to the list, and out of the address; used again it is refused in words; signing out takes the key back', async () => {
    const link = await newLink()
    const first = await watchedPage(browser, node.baseUrl, WIDE)
    await first.page.goto(link)
    await first.page.locator('.dot.live').waitFor({ state: 'attached' })
    assert.equal(first.page.url(), `${node.baseUrl}/#/downloads`)
    assert.equal(await first.page.evaluate('history.length'), 2, 'about:blank and the list')
    await beginByKeyboard(first.page)
    const key = String(await first.page.evaluate(KEPT))
    assert.match(key, /^[0-9a-f]{64}$/)
    assert.notEqual(key, node.key)
    assert.deepEqual(await keys(), ['chrome-linux'])
    await first.page.goto(await newLink())
    await first.page.reload()
    await first.page.locator('.dot.live').waitFor({ state: 'attached' })
    assert.deepEqual(await keys(), ['chrome-linux'], 'a page that has a key makes no other')
    await first.page.goto(`${node.baseUrl}/#/settings`)
    await first.page.getByRole('button', { name: 'Show the welcome again' }).click()
    const again = first.page.getByRole('dialog', { name: 'Welcome to Tributary' })
    await again.getByText('As your provider states it.').waitFor()
    await first.page.keyboard.press('Escape')
    await again.waitFor({ state: 'detached' })
    const second = await watchedPage(browser, node.baseUrl, PHONE)
    await second.page.goto(link)
    await second.page.getByRole('alert').getByText('This sign-in link was used already').waitFor()
    assert.equal(await second.page.evaluate(KEPT), null)
    assert.equal(second.page.url(), `${node.baseUrl}/#/downloads`)
    await second.page.getByText('tributary open', { exact: true }).waitFor()
    assert.deepEqual(await axeFindings(second.page), [])
    second.check(/401 \(Unauthorized\)|403 \(Forbidden\)/)
    await second.page.context().close()
    await first.page.getByRole('button', { name: 'Sign out' }).click()
    await first.page.getByLabel('API key').waitFor()
    assert.deepEqual(await keys(), [])
    assert.equal((await node.request('GET', '/state', undefined, { 'x-api-key': key })).status, 401)
    first.check(PROBE)
    await first.page.context().close()
  })

  test('a phone by its camera: a key that may what was chosen, listed, and taken back; a node that no phone reaches says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-sign-in-'))
    const origin = `http://${NAME}:${node.port}`
    const owner = await watchedPage(browser, origin, WIDE)
    await node.request('PUT', '/keys', { name: 'anna', scopes: ['read', 'stream'], label: 'films' })
    await owner.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await owner.page.goto(`${origin}/#/settings`)
    await owner.page
      .getByRole('region', { name: 'Devices and keys' })
      .getByText('Only downloads with the label films')
      .waitFor()
    await node.request('DELETE', '/keys/anna')
    await owner.page.getByLabel('The phone may').selectOption('watch what is there')
    await owner.page.getByRole('button', { name: 'Show the code' }).click()
    const code = owner.page.getByRole('img', { name: 'QR code that signs a phone in' })
    await code.screenshot({ path: join(folder, 'seen.png') })
    const link = spawnSync('zbarimg', ['-q', '--raw', join(folder, 'seen.png')], { encoding: 'utf8' }).stdout.trim()
    await rm(folder, { recursive: true, force: true })
    assert.match(link, /^http:\/\/node\.example:\d+\/#\/login\/[\w-]{32}$/)
    const phone = await watchedPage(browser, origin, PHONE)
    await phone.page.goto(link)
    await phone.page.locator('.dot.live').waitFor({ state: 'attached' })
    const key = String(await phone.page.evaluate(KEPT))
    await owner.page.getByRole('status').getByText('chrome-linux is signed in.').waitFor()
    const list = owner.page.getByRole('region', { name: 'Devices and keys' })
    await list.getByText('read, stream').waitFor()
    assert.deepEqual(await axeFindings(owner.page), [])
    const asked = (path: string) => node.request('GET', path, undefined, { 'x-api-key': key })
    assert.deepEqual([(await asked('/downloads')).status, (await asked('/settings')).status], [200, 403])
    await list.getByRole('button', { name: 'Remove chrome-linux' }).click()
    await phone.page.getByLabel('API key').waitFor()
    assert.equal((await asked('/downloads')).status, 401)
    const alone = await watchedPage(browser, node.baseUrl, WIDE)
    await alone.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await alone.page.goto(`${node.baseUrl}/#/settings`)
    await alone.page.getByText('A phone cannot reach this node: it listens on this machine alone.').waitFor()
    phone.check(/401 \(Unauthorized\)|403|INCOMPLETE_CHUNKED|Cross-Origin-Opener-Policy header/)
    owner.check(OPENER)
    await alone.page.context().close()
    await phone.page.context().close()
    await owner.page.context().close()
  })
})
