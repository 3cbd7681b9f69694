// Catalogues for tests: the real one with its thread, or the same without a thread, whose clock the test gives.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import {
  Catalogue,
  CataloguePorts,
  DEFAULT_QUOTA_BYTES,
} from '../../../../src/chapters/channels/catalogue/catalogue.ts'
import { CatalogueDatabase } from '../../../../src/chapters/channels/catalogue/catalogue-database.ts'
import { CATALOGUE_FILE_NAME } from '../../../../src/chapters/channels/catalogue/file-name.ts'
import type { ChannelCatalogue } from '../../../../src/chapters/channels/ports/channel-catalogue.ts'
import type { ChannelLibrary } from '../../../../src/chapters/channels/ports/channel-library.ts'

/** How a catalogue is opened; absent: a new folder, the usual quota. */
export interface CatalogueChoice {
  readonly folder?: string
  readonly quotaBytes?: number
}

function folderOf(t: TestContext, given: string | undefined): string {
  if (given !== undefined) return given
  const folder = mkdtempSync(join(tmpdir(), 'tributary-catalogue-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A catalogue with its thread, closed when the test ends. Upkeep runs 20 ms after what needs it. */
export async function openCatalogue(
  t: TestContext,
  choice: CatalogueChoice = {},
): Promise<Catalogue & { readonly folder: string }> {
  const folder = folderOf(t, choice.folder)
  const path = join(folder, CATALOGUE_FILE_NAME)
  const quotaBytes = choice.quotaBytes ?? DEFAULT_QUOTA_BYTES
  const catalogue = await Catalogue.open({ path, quotaBytes, tendAfterMs: 20 })
  t.after(() => catalogue.close(5000))
  return Object.assign(catalogue, { folder })
}

/** A catalogue without a thread. */
export interface InlineCatalogue {
  readonly network: ChannelCatalogue
  readonly library: ChannelLibrary
  readonly database: CatalogueDatabase
  /** Upkeep, until nothing is left to do. */
  tend(): Promise<void>
}

/**
 * A catalogue that runs each job at once, in this thread; its promises settle in the same turn. `nowMs`: its clock,
 * milliseconds since 1970. Upkeep runs when it is asked for, or after each offer where `tends`, and after sets that
 * were adopted.
 */
export function openInlineCatalogue(
  t: TestContext,
  nowMs: () => number,
  choice: CatalogueChoice & { readonly tends?: boolean } = {},
): InlineCatalogue {
  const path = join(folderOf(t, choice.folder), CATALOGUE_FILE_NAME)
  const quotaBytes = choice.quotaBytes ?? DEFAULT_QUOTA_BYTES
  const database = new CatalogueDatabase({ path, quotaBytes }, { nowMs })
  t.after(() => database.close())
  const now = (name: string, args: unknown[]): unknown => {
    const { answers, notices } = database.run([{ name, args }])
    for (const notice of notices) ports.tell(notice)
    const [answer] = answers
    if (answer?.ok === true) return answer.reply
    throw answer === undefined || answer.code === 'Bug'
      ? new Error(answer?.text)
      : new AppError(answer.code, answer.text)
  }
  const tend = (): void => {
    for (let round = 0; round < 1000 && now('own.tend', []) === true; round++);
  }
  const ports: CataloguePorts = new CataloguePorts({
    run: async (name, ...args) => {
      const reply = now(name, args)
      if (name === 'network.adopt' || (choice.tends === true && name === 'network.offerRecords')) tend()
      return reply
    },
  })
  return { network: ports.network, library: ports.library, database, tend: async () => tend() }
}
