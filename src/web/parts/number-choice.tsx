// A number, or what stands for one: a limit or a goal, none, without end, as the settings say.

import { useId } from 'preact/hooks'
import { text } from '../texts/downloads/choices.ts'

/** What may stand for a number; `keep`: nothing is changed. */
export type NumberMeaning = 'keep' | 'value' | 'none' | 'never' | 'settings'

/** A number, or what stands for one. */
export interface ChosenNumber {
  readonly choice: NumberMeaning
  readonly typed: string
}

interface NumberChoiceProps {
  readonly label: string
  /** Of the number. */
  readonly unit: 'kibPerSec' | 'ratioUnit' | 'minutesUnit'
  readonly choices: readonly NumberMeaning[]
  readonly chosen: ChosenNumber
  readonly help?: string
  set(chosen: ChosenNumber): void
}

/** No number where one was chosen: false. */
export function isValidNumber({ choice, typed }: ChosenNumber): boolean {
  return choice !== 'value' || (typed.trim() !== '' && Number.isFinite(Number(typed)) && Number(typed) >= 0)
}

/** Bytes a second of KiB/s, 0 = none; undefined: as it is. */
export function limitOf({ choice, typed }: ChosenNumber): number | undefined {
  if (choice === 'keep') return undefined
  return choice === 'value' ? Math.round(Number(typed) * 1024) : 0
}

/** -1 = without end, -2 = as the settings say; undefined: as it is. */
export function goalOf({ choice, typed }: ChosenNumber): number | undefined {
  if (choice === 'keep') return undefined
  return choice === 'never' ? -1 : choice === 'value' ? Number(typed) : -2
}

/** A choice of what it is, and a field for the number where it is one. */
export function NumberChoice({ label, unit, choices, chosen, help = '', set }: NumberChoiceProps) {
  const id = useId()
  return (
    <div class="field number-choice" role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      <select
        aria-labelledby={id}
        aria-describedby={help === '' ? undefined : `${id}-help`}
        value={chosen.choice}
        onChange={event => set({ ...chosen, choice: event.currentTarget.value as NumberMeaning })}
      >
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice === 'value' ? text(unit) : text(choice)}
          </option>
        ))}
      </select>
      {chosen.choice === 'value' && (
        <input
          aria-label={`${label}, ${text(unit)}`}
          inputMode="decimal"
          value={chosen.typed}
          aria-invalid={chosen.typed !== '' && !isValidNumber(chosen)}
          onInput={event => set({ ...chosen, typed: event.currentTarget.value })}
        />
      )}
      {help !== '' && (
        <span id={`${id}-help`} class="help">
          {help}
        </span>
      )}
    </div>
  )
}
