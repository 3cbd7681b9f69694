// Over how many hops a download goes: the choices, and what the chosen one hides and costs.

import { useId } from 'preact/hooks'
import { hopChoices } from '../model/hops.ts'
import { text } from '../texts/downloads/hops.ts'

interface HopChoiceProps {
  /** -1 = as the settings say, where that may be chosen. */
  readonly hops: number
  /** Offers the choice of the settings too. */
  readonly withDefault?: boolean
  set(hops: number): void
}

/** Over how many hops a download goes: the choices, and what the chosen one hides and costs. */
export function HopChoice({ hops, withDefault = false, set }: HopChoiceProps) {
  const id = useId()
  return (
    <div class="field hop-choice">
      <label for={id}>{text('anonymity')}</label>
      <select
        id={id}
        value={hops}
        aria-describedby={`${id}-help`}
        onChange={event => set(Number(event.currentTarget.value))}
      >
        {withDefault && <option value={-1}>{text('asSet')}</option>}
        {hopChoices.map(choice => (
          <option key={choice.hops} value={choice.hops}>
            {choice.name}
          </option>
        ))}
      </select>
      <span id={`${id}-help`} class="help">
        {hopChoices.find(choice => choice.hops === hops)?.cost ?? text('asSetHelp')}
        {hops > 0 && ` ${text('slower')}`}
      </span>
    </div>
  )
}
