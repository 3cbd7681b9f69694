// An amount of a setting: a number, and the unit in which it is entered. Outside it is what the node counts in.

import { useState } from 'preact/hooks'
import { decimalMark } from '../../model/format.ts'
import { keep, readKept } from '../../model/kept.ts'
import { RATE_UNIT_NAME } from '../../model/rate-entry.ts'
import { type MeasureUnit, measureOf, measureText, wholeUnit } from '../../model/settings/measures.ts'
import { text } from '../../texts/node/settings.ts'

interface MeasureControlProps {
  readonly id: string
  /** What it is of. */
  readonly name: string
  readonly units: readonly MeasureUnit[]
  /** Rates are shown in the unit that this device chose for rates. */
  readonly isRate: boolean
  readonly isWhole: boolean
  /** Bounds and its present value, in what the node counts in. */
  readonly from: number
  readonly to: number
  readonly present: number
  /** What was entered, in what the node counts in; a text that is no number as it was typed. */
  readonly value: string
  readonly isRefused: boolean
  set(value: string): void
}

function firstUnit({ units, isRate, present }: MeasureControlProps): MeasureUnit | undefined {
  const kept = isRate ? readKept(localStorage, RATE_UNIT_NAME) : null
  return units.find(({ id }) => id === kept) ?? (isRate ? units[0] : wholeUnit(units, present))
}

/** See MeasureControlProps. */
export function MeasureControl(props: MeasureControlProps) {
  const { id, name, units, isRate, isWhole, from, to, present, value, isRefused, set } = props
  const [chosen, setChosen] = useState<MeasureUnit | null>(null)
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string } | null>(null)
  const unit = chosen ?? firstUnit(props)
  if (unit === undefined) return null
  const mark = decimalMark()
  const shownOf = (amount: string) => {
    const number = Number(amount)
    return amount.trim() === '' || Number.isNaN(number) ? amount : measureText(number, unit, mark)
  }
  const enter = (entered: string) => {
    // Fewer digits are shown than there may be: what is typed as it was shown is no change.
    const amount = entered === measureText(present, unit, mark) ? present : measureOf(entered, unit, isWhole)
    // What is no number here may be one elsewhere (`1e3`): with its unit nobody takes it for a number of bytes.
    const next = amount === null ? `${entered} ${unit.name}` : String(amount)
    setTyped({ text: entered, value: next })
    set(next)
  }
  const choose = (unitId: string) => {
    if (isRate) keep(localStorage, RATE_UNIT_NAME, unitId)
    setChosen(units.find(each => each.id === unitId) ?? null)
    setTyped(null)
  }
  const bound = (amount: number) => `${measureText(amount, unit, mark)} ${unit.name}`
  return (
    <div class="measure">
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        aria-describedby={`${id}-help ${id}-bounds`}
        aria-invalid={isRefused}
        value={typed?.value === value ? typed.text : shownOf(value)}
        onInput={event => enter(event.currentTarget.value)}
      />
      <select
        aria-label={text('unitOf', { name })}
        value={unit.id}
        onChange={event => choose(event.currentTarget.value)}
      >
        {units.map(each => (
          <option key={each.id} value={each.id}>
            {each.name}
          </option>
        ))}
      </select>
      <p id={`${id}-bounds`} class="help">
        {text('rangeIn', { from: bound(from), to: bound(to) })}
      </p>
    </div>
  )
}
