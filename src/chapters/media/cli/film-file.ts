// Which file of a download is the film.

import { chosenFile } from '../../../cli/chosen.ts'
import { CommandError } from '../../../cli/node-client.ts'
import type { DownloadFile } from '../../../client/core-routes.ts'

/** The file that a text means; without one the longest: of a film with samples and texts beside it the film. */
export function filmFile(files: readonly DownloadFile[], text: string | undefined): DownloadFile {
  if (text !== undefined) return chosenFile(files, text)
  const [first, ...others] = files
  if (first === undefined) throw new CommandError('The download has no files yet.')
  return others.reduce((best, file) => (file.size > best.size ? file : best), first)
}
