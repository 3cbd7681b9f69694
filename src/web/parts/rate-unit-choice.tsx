// The unit in which rates are entered (KiB/s, MiB/s, Mbit/s), as a choice.

import { useId } from 'preact/hooks'
import { RATE_UNITS, type RateUnit, rateUnit } from '../model/rate-entry.ts'

interface RateUnitChoiceProps {
  readonly label: string
  readonly unit: RateUnit
  choose(unit: RateUnit): void
}

/** Chooses among the units for rates. */
export function RateUnitChoice({ label, unit, choose }: RateUnitChoiceProps) {
  const id = useId()
  return (
    <label class="limit-unit" for={id}>
      <span>{label}</span>
      <select id={id} value={unit.id} onChange={event => choose(rateUnit(event.currentTarget.value))}>
        {RATE_UNITS.map(each => (
          <option key={each.id} value={each.id}>
            {each.name}
          </option>
        ))}
      </select>
    </label>
  )
}
