// Destinations of downloads as the service sees them: all are there but those that are refused.

import { AppError } from '../../../src/base/errors.ts'
import type { DownloadsDeps } from '../../../src/services/downloads/downloads-deps.ts'

/** `bad`: folders that are refused; `steps` gets each look and each making. */
export function folderDouble(
  bad: ReadonlySet<string>,
  steps: string[],
): Pick<DownloadsDeps, 'prepareFolder' | 'lookAtFolder' | 'freeBytes' | 'identifyFolder'> {
  const prepareFolder = async (folder: string): Promise<string> => {
    if (bad.has(folder)) throw new AppError('InvalidParameter', 'destination: no.')
    return folder
  }
  return {
    prepareFolder,
    lookAtFolder(folder) {
      steps.push('look')
      const prepare = (): Promise<string> => {
        steps.push('prepare')
        return prepareFolder(folder)
      }
      return { prepare }
    },
    identifyFolder: async folder => {
      if (bad.has(folder)) throw new Error('EIO')
      return { path: folder, id: folder }
    },
    freeBytes: async folder => {
      if (bad.has(folder)) throw new Error('no such folder')
      return 1_000_000
    },
  }
}
