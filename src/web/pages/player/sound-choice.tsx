// Which of a film's tracks of sound is heard.

import { soundName } from '../../model/film/sound-names.ts'
import { text } from '../../texts/player.ts'
import type { FilmWay } from './use-film-way.ts'

/** A choice of them; nothing where there is none. */
export function SoundChoice({ way: { sounds, soundId, chooseSound } }: { way: FilmWay }) {
  if (sounds.length === 0) return null
  return (
    <label class="subtitle-choice">
      {text('sound')}
      <select value={String(soundId)} onChange={event => chooseSound(Number(event.currentTarget.value))}>
        {sounds.map((track, at) => (
          <option key={track.id} value={String(track.id)}>
            {soundName(track, at)}
          </option>
        ))}
      </select>
    </label>
  )
}
