// The page of players in Debian's Chromium, and the commands about them, with a built node that serves no interface (so
// nothing leaves the machine) and knows a device from before.

import assert from 'node:assert/strict'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { encodeServerState } from '../../../../src/chapters/dlna/service/server-state.ts'
import { makeTestFolder, type TestFolder } from '../../../kit/content/content-on-disk.ts'
import { axeFindings, CHROMIUM, startBrowser, type WatchedPage, watchedPage } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'

const DEVICE = '0123456789ab'
const UUID = '5f0a6f2e-6a1b-4a8e-9d5b-0123456789ab'

function stateText(): string {
  const device = {
    ip: '192.168.1.20',
    key: Buffer.alloc(32, 1),
    firstSec: 1_700_000_000,
    lastSec: 1_700_000_500,
    allowed: true,
  }
  return encodeServerState({
    uuid: UUID,
    port: 0,
    secret: Buffer.alloc(32, 2),
    devices: [
      { ...device, id: DEVICE, name: 'Television <b>' },
      { ...device, id: 'ffffffffffff', ip: '192.168.1.21', name: '' },
    ],
  })
}

describe('players in the network: page and commands', { concurrency: 1, timeout: 120_000 }, () => {
  let folder: TestFolder
  let node: NodeProcess

  before(async () => {
    folder = await makeTestFolder()
    const stateDir = await folder.sub('state')
    await mkdir(join(stateDir, 'dlna'), { mode: 0o700 })
    await writeFile(join(stateDir, 'dlna/server.json'), stateText(), { mode: 0o600 })
    node = await startNode({ stateDir, settings: { 'dlna.interfaces': 'none0' } })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  const command = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(['dlna', ...words], { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(code, 0, stderr)
    return stdout
  }

  test('it is off, and says so', async () => {
    const state = JSON.parse(await command('state', '--json')) as object
    assert.deepEqual(state, { enabled: false, running: false, name: 'Tributary', interfaces: [], problem: '' })
  })

  test('devices are listed, blocked, allowed and forgotten by commands', async () => {
    assert.match(await command('devices'), /0123456789ab +192\.168\.1\.20 +allowed +2023-11-14 22:21 +Television <b>/)
    await command('block', DEVICE)
    assert.match(await command('devices'), /0123456789ab +192\.168\.1\.20 +blocked/)
    const path = join(node.stateDir, 'dlna/server.json')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.match(await readFile(path, 'utf8'), /"allowed": false/)
    await command('allow', DEVICE)
    await command('forget', 'ffffffffffff')
    const { devices } = JSON.parse(await command('devices', '--json')) as {
      devices: { id: string; allowed: boolean }[]
    }
    assert.deepEqual(
      devices.map(({ id, allowed }) => [id, allowed]),
      [[DEVICE, true]],
    )
    const { code, stderr } = await runCli(['dlna', 'block', 'ffffffffffff'], { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.notEqual(code, 0)
    assert.match(stderr, /There is no device of this id/)
  })

  describe('in Chromium', { skip: needs(CHROMIUM) }, () => {
    let browser: Browser
    let watched: WatchedPage

    before(async () => {
      browser = await startBrowser()
      watched = await watchedPage(browser, node.baseUrl)
      await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    })
    after(() => browser?.close())

    test('one switch serves the network, and says what is in the way', async () => {
      const { page } = watched
      await page.goto(`${node.baseUrl}/#/dlna`)
      const serve = page.getByRole('switch', { name: 'Players in this network may watch' })
      await serve.check()
      await page.getByText('No interface to a private network is there that the settings allow.').waitFor()
      assert.deepEqual(await axeFindings(page), [])
      const { enabled } = await node.get<{ enabled: boolean }>('/dlna')
      assert.equal(enabled, true)
      await serve.uncheck()
      await node.until<{ enabled: boolean }>('/dlna', state => !state.enabled)
    })

    test('a device is blocked, let back in and forgotten', async () => {
      const { page } = watched
      const row = page.locator(`[data-device="${DEVICE}"]`)
      await row.getByText('Television <b>').waitFor()
      await row.getByRole('button', { name: 'Block' }).click()
      await row.getByText('blocked').waitFor()
      await row.getByRole('button', { name: 'Allow' }).click()
      await row.getByText('allowed').waitFor()
      const picture = process.env['PICTURES']
      if (picture !== undefined) await page.screenshot({ path: join(picture, 'players.png') })
      await row.getByRole('button', { name: 'Forget' }).click()
      await page.getByText('No device has asked yet.').waitFor()
    })
  })
})
