// A film that was begun: from where it was left, or from its start.

import { place as placeText } from '../../model/format.ts'
import { text } from '../../texts/player.ts'
import { Icon } from '../../parts/icons.tsx'

interface ContinueChoiceProps {
  /** Where it was left, seconds. */
  readonly place: number
  choose(startSec: number): void
}

/** Two buttons over the film. */
export function ContinueChoice({ place, choose }: ContinueChoiceProps) {
  return (
    <div class="film-choice" role="group" aria-label={text('whereToBegin')}>
      <button type="button" class="primary" autofocus onClick={() => choose(place)}>
        <Icon name="play" size={16} /> {text('continueAt', { place: placeText(place) })}
      </button>
      <button type="button" onClick={() => choose(0)}>
        {text('fromStart')}
      </button>
    </div>
  )
}
