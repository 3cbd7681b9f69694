// Ways out of the browser for a film: VLC of this device, a playlist for any player, the link itself, also as a code
// for the camera of a phone.

import { playerHost, playlistOf, vlcLink } from '../../model/ways-out.ts'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { playerLink, saveText } from '../../node/commands.ts'
import { text } from '../../texts/player.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icons.tsx'
import { CodeButton } from '../../parts/show-code.tsx'

interface WaysOutProps {
  readonly file: DownloadFile
  /** Where another player should begin, seconds. */
  position(): number
}

/** Buttons that hand a film to another player. */
export function WaysOut({ file, position }: WaysOutProps) {
  const name = file.name.split('/').at(-1) ?? 'film'
  const link = vlcLink(playerLink(file), playerHost(navigator.userAgent))
  const saveList = () => saveText(playlistOf(name, playerLink(file), position()), `${name}.m3u`, 'audio/x-mpegurl')
  return (
    <>
      {link === null ? (
        <button type="button" title={text('playlistHelp')} onClick={saveList}>
          <Icon name="film" /> {text('openInVlc')}
        </button>
      ) : (
        <a class="button" href={link}>
          <Icon name="film" /> {text('openInVlc')}
        </a>
      )}
      <CopyButton label={text('copyLink')} what={text('playerLink')} icon="link" text={() => playerLink(file)} />
      <CodeButton title={text('anotherDevice')} url={() => playerLink(file)} />
    </>
  )
}
