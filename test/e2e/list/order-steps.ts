// How the list of the dashboard is ordered: its columns, and the queue by the menu, keys and the mouse.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeFindings, untilInPage } from '../../kit/nodes/browser.ts'
import type { NodeProcess } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** By the mouse, to the left or upper edge of the other one; `letGo`: what is done instead of letting it go there. */
async function drag(page: Page, what: string, to: string, letGo = () => page.mouse.up()): Promise<void> {
  const from = await page.locator(what).boundingBox()
  const target = await page.locator(to).boundingBox()
  assert.ok(from && target)
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(target.x + 3, target.y + 3, { steps: 4 })
  await letGo()
}

/** Columns are chosen, ordered and widened, by keys and the mouse, and kept. */
export async function orderColumns(page: Page): Promise<void> {
  const heads = async () => (await page.getByRole('columnheader').allInnerTexts()).slice(1)
  const widthOf = async (place: string) => (await page.locator(`.heads .${place}`).boundingBox())?.width ?? 0
  await page.getByRole('button', { name: 'Columns' }).press('Enter')
  const choices = page.getByRole('list', { name: 'Columns' })
  await choices.getByRole('checkbox', { name: 'Folder' }).press('Space')
  for (const name of ['Ratio', 'Added', 'Peers', 'Left']) await choices.getByRole('checkbox', { name }).press('Space')
  const forward = choices.getByRole('button', { name: 'Move Folder to the front' })
  for (let step = 0; step < 5; step++) {
    await forward.press('Enter')
    await untilInPage(page, `document.activeElement?.getAttribute('aria-label') === 'Move Folder to the front'`)
  }
  const before = [await widthOf('name'), await widthOf('folder')]
  await choices.getByRole('button', { name: 'Make Folder wider' }).press('Enter')
  await waitFor('it is wider', async () => (await widthOf('folder')) === (before[1] ?? 0) + 16)
  assert.equal(await widthOf('name'), (before[0] ?? 0) - 16)
  assert.deepEqual(await axeFindings(page), [])
  const chosen = ['Name', 'Folder', 'Progress', 'State', 'Size', 'Down', 'Up']
  assert.deepEqual(await heads(), chosen)
  await page.reload()
  await page.locator('.row[data-infohash] .folder').getByText('tributary-list-').first().waitFor()
  assert.deepEqual(await heads(), chosen)
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const name of ['Tracker', 'Label', 'Availability']) await choices.getByRole('checkbox', { name }).press('Space')
  await page.keyboard.press('Escape')
  const first = (place: string) => page.locator(`.row[data-infohash]:nth-child(1) .${place}`)
  await page.getByRole('columnheader', { name: 'Tracker' }).getByRole('button').click()
  await untilInPage(page, `document.querySelector('[aria-sort=ascending]')?.textContent === 'Tracker'`)
  await page.getByRole('columnheader', { name: 'Tracker' }).getByRole('button').click()
  await first('tracker').getByText('tracker.example', { exact: true }).waitFor()
  assert.equal(await first('tracker').getAttribute('title'), 'tracker.example', 'without the key in its address')
  await page.getByRole('columnheader', { name: 'Label' }).getByRole('button').click()
  await page.getByRole('columnheader', { name: 'Label' }).getByRole('button').click()
  await first('labelled').getByText('films, vintage', { exact: true }).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  const sorted = await page.evaluate<string>(`document.querySelector('[aria-sort=descending]').textContent`)
  await drag(page, '.heads [data-column=labels]', '.heads [data-column=destination]')
  await waitFor('it stands before it', async () => (await heads()).join().startsWith('Name,Label,Folder,'))
  assert.equal(await page.evaluate(`document.querySelector('[aria-sort=descending]').textContent`), sorted, 'no click')
  await page.getByRole('columnheader', { name: 'Label' }).getByRole('button').press('Enter')
  await untilInPage(page, `document.querySelector('[aria-sort=ascending]')?.textContent === 'Label'`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'As at first' }).click()
  await page.locator('.heads .ratio').waitFor({ state: 'attached' })
  assert.equal(await page.locator('.list.chosen').count(), 0)
}

/** The order of the queue, by the menu of a row, Alt and an arrow, and the mouse. */
export async function orderQueue(page: Page, node: NodeProcess): Promise<void> {
  type Placed = { downloads: { infohash: string; queue_position: number }[] }
  const line = async () =>
    (await node.get<Placed>('/downloads?sort=queue_order&limit=100')).downloads.map(({ infohash }) => infohash)
  const [first = '', second = ''] = await line()
  const last = (await line()).at(-1) ?? ''
  await page.locator(`.row[data-infohash="${second}"] .size`).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'To the top of the queue' }).click()
  await page.getByText('It is number 1 of the queue now.').waitFor()
  assert.deepEqual((await line()).slice(0, 2), [second, first])
  await page.locator(`.row[data-infohash="${second}"] .sign`).click()
  await page.locator(`.row[data-infohash="${first}"] .sign`).click()
  await page.getByRole('grid', { name: 'Downloads' }).press('Alt+ArrowDown')
  await page.getByText('2 downloads are moved in the queue.').waitFor()
  assert.deepEqual((await line()).slice(1, 3), [second, first])
  await page.getByRole('grid', { name: 'Downloads' }).press('Alt+ArrowUp')
  await untilInPage(page, `document.body.innerText.split('2 downloads are moved in the queue.').length === 3`)
  await page.getByRole('grid', { name: 'Downloads' }).press('Alt+ArrowUp')
  await page.getByText('The queue was in this order already.').waitFor()
  assert.deepEqual([(await line()).slice(0, 2), (await line()).at(-1)], [[second, first], last])

  // By the mouse where the list is in the order of the queue, and not elsewhere.
  const row = (infohash: string) => `.row[data-infohash="${infohash}"]`
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Queue' }).check()
  await page.keyboard.press('Escape')
  const third = (await line())[2] ?? ''
  await drag(page, `${row(third)} .size`, row(second))
  assert.deepEqual((await line()).slice(0, 3), [second, first, third])
  await page.getByRole('columnheader', { name: 'Queue' }).getByRole('button').click()
  await page
    .locator(`${row(third)} .queue`)
    .getByText('3', { exact: true })
    .waitFor()
  await drag(page, `${row(third)} .size`, row(second), async () => {
    await page.locator('.drop-line').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.up()
  })
  assert.equal(await page.locator('.drop-line').count(), 0)
  assert.deepEqual((await line()).slice(0, 3), [second, first, third], 'given up')
  await page.locator(`${row(first)} .sign`).click()
  await page.locator(`${row(third)} .sign`).click()
  await drag(page, `${row(third)} .size`, row(second))
  await page
    .locator(`${row(second)} .queue`)
    .getByText('3', { exact: true })
    .waitFor()
  assert.deepEqual((await line()).slice(0, 3), [first, third, second])
  assert.equal(await page.locator('.detail').count(), 0, 'no click')
  await page.evaluate(`localStorage.removeItem('tributary.list.columns')`)
}
