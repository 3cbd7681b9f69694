// The panel of a download used as people do: its edge is moved, its graph shows other times.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeFindings } from '../../kit/nodes/browser.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** The edge of the panel by keys and by the pointer; a device keeps it, and loses it with a double click. */
export async function moveEdge(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  const edge = page.getByRole('separator', { name: 'Width of this panel' })
  const value = async () => Number(await edge.getAttribute('aria-valuenow'))
  const width = async () => (await page.locator('.detail').boundingBox())?.width ?? 0
  const [usual, usualWidth] = [await value(), await width()]
  await edge.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await waitFor('it is wider', async () => (await width()) > usualWidth + 20)
  assert.equal(await value(), usual + 4)
  assert.deepEqual(await axeFindings(page), [])
  await page.keyboard.press('Home')
  await waitFor('it is at its least', async () => (await edge.getAttribute('aria-valuemin')) === String(await value()))
  const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {}
  await page.mouse.move(x + 4, y + 300)
  await page.mouse.down()
  await page.mouse.move(x - 246, y + 300, { steps: 4 })
  await page.mouse.up()
  const dragged = await value()
  const left = (await page.locator('.detail').boundingBox())?.x ?? 0
  assert.ok(Math.abs(left - (x - 246)) < 20, `the edge is at ${left}, the pointer at ${x - 246}`)
  await page.reload()
  await waitFor('it is kept', async () => (await value()) === dragged)
  await edge.dblclick()
  await waitFor('it is as at first', async () => (await width()) === usualWidth)
  await page.setViewportSize({ width: 1000, height: 900 })
  await edge.waitFor({ state: 'hidden' })
}

/** The graph of the rates: another range by keys, in words and as a table, kept by the device. */
export async function chooseRange(page: Page): Promise<void> {
  const ranges = page.getByRole('group', { name: 'Time shown' })
  const shown = (name: string) => page.getByRole('img', { name: `Rates of this download ${name}` })
  await shown('in the last hour').waitFor()
  await ranges.getByRole('button', { name: 'Month' }).press('Enter')
  await shown('in the last month').locator('canvas').waitFor()
  await page.getByText('Nothing was transferred in this time.').waitFor()
  const { x = 0, width = 0 } = (await ranges.boundingBox()) ?? {}
  assert.ok(x + width <= (page.viewportSize()?.width ?? 0), 'the choice fits')
  await page.reload()
  await shown('in the last month').locator('canvas').waitFor()
  await ranges.getByRole('button', { name: 'Live' }).click()
  await shown('while it is shown here').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await ranges.getByRole('button', { name: 'Hour' }).click()
}
