// The setting general.log_levels, read.

import type { LogLevel } from '../../ports/log.ts'

/** `dht=debug` as part and level; of two for one part the last. The texts were checked by the settings. */
export function logLevels(texts: readonly string[]): ReadonlyMap<string, LogLevel> {
  return new Map(
    texts.map(text => {
      const [part = '', level = ''] = text.split('=')
      return [part, level as LogLevel]
    }),
  )
}
