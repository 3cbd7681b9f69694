// Asks again when the node tells that something new is in a channel.

import { useEffect } from 'preact/hooks'
import { textIn } from '../../../../web/model/event-lines.ts'
import { session } from '../../../../web/node/context.ts'

/** Events that come thick ask once in this time, ms. */
const PAUSE_MS = 1000

/** Calls `refresh` after events of channels; `channel`: of this one alone, empty: of any. */
export function useChannelNews(channel: string, refresh: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = session.watchEvents(event => {
      if (!/^(channel|torrent)_discovered$|^torrent_removed_from_channel$/.test(event.type)) return
      if (channel !== '' && textIn(event, 'dispersy_cid') !== channel) return
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, PAUSE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [channel])
}
