// The mark of a film that was watched, by hand.

import { useState } from 'preact/hooks'
import { markWatched } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { text } from '../../texts/player.ts'
import { Icon } from '../../parts/icons.tsx'

interface WatchedButtonProps {
  readonly infohash: string
  readonly file: number
  /** As the node said when the page came. */
  readonly watched: boolean
}

/** Pressed while the film is marked. */
export function WatchedButton({ infohash, file, watched }: WatchedButtonProps) {
  const [on, setOn] = useState(watched)
  const change = async () => {
    await markWatched(infohash, file, !on)
    setOn(!on)
  }
  return (
    <button type="button" aria-pressed={on} onClick={() => void session.attempt(change)}>
      <Icon name="check" size={16} /> {text('watched')}
    </button>
  )
}
