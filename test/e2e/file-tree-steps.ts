// What is done with the tree of files of the film of the dashboard's scene.

import type { Page } from 'playwright-core'
import { waitFor } from '../kit/wait-for.ts'

/** A folder's priority, opening and closing, searching, another name, order. */
export async function useFileTree(page: Page): Promise<void> {
  // A folder for all that is in it: mixed, then the same for all; closed, it shows none of it.
  const folder = page.getByLabel('Priority of Extras', { exact: true })
  await folder.selectOption({ label: 'High' })
  const inner = page.getByLabel('Priority of Extras/storyboard.pdf')
  await waitFor('the file to have it', async () => (await inner.inputValue()) === '7')
  await page.getByRole('button', { name: 'Close folder Extras' }).click()
  await inner.waitFor({ state: 'detached' })
  await page.getByLabel('Search files').fill('storyboard')
  await inner.waitFor()
  await page.getByRole('button', { name: 'Rename Extras/storyboard.pdf' }).click()
  await page.getByLabel('New name').fill('story <b>.pdf')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await waitFor(
    'the new name',
    async () => (await page.getByRole('dialog').count()) === 0,
    20_000,
    () => page.url(),
  )
  await page.getByLabel('Search files').fill('story <b>')
  await page.getByLabel('Priority of Extras/story <b>.pdf').waitFor()
  await page.getByLabel('Order of files').selectOption({ label: 'Largest first' })
  await page.getByLabel('Search files').fill('')
  await page.getByLabel('Order of files').selectOption({ label: 'By name, in folders' })
}
