// What a user does to the trackers and the bans of a download on its page.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeFindings } from '../kit/nodes/browser.ts'
import { downloadRecord } from '../kit/nodes/downloads-client.ts'
import type { NodeProcess } from '../kit/nodes/node-process.ts'

/** Adds, changes and removes trackers, calls peers, lifts a ban. `page` shows the dashboard. */
export async function useTrackers(page: Page, node: NodeProcess, infohash: string): Promise<void> {
  const [first, second, third] = ['udp://127.0.0.1:9/x', 'udp://127.0.0.1:9/y', 'udp://127.0.0.1:9/z']
  const shown = async () =>
    (await downloadRecord(node, infohash)).trackers.flatMap(({ url, tier }) =>
      tier === undefined ? [] : [[url, tier]],
    )
  const before = await shown()
  await page.goto(`${node.baseUrl}/#/downloads/${infohash}/trackers`)
  for (const url of [first, second]) {
    await page.getByLabel('Address of a tracker').fill(url)
    await page.locator('.detail-part').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: `Edit ${url}` }).waitFor()
  }
  await page.getByRole('button', { name: `Edit ${second}` }).click()
  await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(third)
  await page.getByLabel('Asked').selectOption(String(before.length))
  assert.deepEqual(await axeFindings(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: `Edit ${third}` }).waitFor()
  assert.deepEqual((await shown()).slice(before.length).toSorted(), [
    [first, before.length],
    [third, before.length],
  ])
  for (const url of [first, third]) await page.getByRole('button', { name: `Remove ${url}` }).click()
  await page.getByRole('button', { name: `Edit ${third}` }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Edit ${first}` }).waitFor({ state: 'detached' })
  assert.deepEqual(await shown(), before)
  assert.equal((await node.request('PUT', '/peers/banned', { ip: '203.0.113.7' })).status, 200)
  await page.goto(`${node.baseUrl}/#/downloads/${infohash}/peers`)
  const named = page.getByLabel('Address of a peer, with its port')
  for (const [address, answer] of [
    ['203.0.113.7:6881', '203.0.113.7 is banned or in an IP filter: lift its ban first.'],
    ['127.0.0.1:9', 'While the download runs it connects to 127.0.0.1:9.'],
  ] as const) {
    await named.fill(address)
    await page.locator('.detail-part').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(answer).first().waitFor()
  }
  assert.equal(await named.inputValue(), '')
  await page.getByText('1 banned address').click()
  await page.getByRole('button', { name: 'Lift the ban of 203.0.113.7' }).click()
  await page.getByText('1 banned address').waitFor({ state: 'detached' })
  const left = await node.request('GET', '/peers/banned')
  assert.deepEqual(left.json(), { banned: [] })
}
