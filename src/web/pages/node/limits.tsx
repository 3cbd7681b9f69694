// Limits of speed of the whole node beside its speeds: slow mode at a click, and the limits themselves over the page.

import type { RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { CoreRoutes, EffectiveSettings } from '../../../client/core-routes.ts'
import type { ReplyOf } from '../../../client/routes.ts'
import { languageTag } from '../../language/texts.ts'
import { decimalMark, plainRate } from '../../model/format.ts'
import { keep, readKept } from '../../model/kept.ts'
import { enteredRate, RATE_UNIT_NAME, type RateUnit, rateOf, rateUnit } from '../../model/rate-entry.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { RateUnitChoice } from '../../parts/rate-unit-choice.tsx'
import { text } from '../../texts/node/limits.ts'

type SlowMode = ReplyOf<CoreRoutes, 'GET /slowmode'>
type Way = 'down' | 'up'
type Group = 'usual' | 'slow'

const WAYS: readonly Way[] = ['down', 'up']
/** Where nothing tells of a change, as by an edited file. */
const ASK_MS = 60_000
/** The names that the interface has for them. */
const OPTIONS = { down: 'max_download_rate', up: 'max_upload_rate' } as const

/** The day and minute of a switch, in the reader's own zone. */
function whenText(seconds: number): string {
  const format = new Intl.DateTimeFormat(languageTag(), { weekday: 'short', hour: '2-digit', minute: '2-digit' })
  return format.format(seconds * 1000)
}

function stateText({ enabled, next_change: next }: SlowMode): string {
  if (next === null) return text(enabled ? 'onNow' : 'offNow')
  return text(enabled ? 'onUntil' : 'offUntil', { time: whenText(next) })
}

interface Limits {
  readonly usual: Readonly<Record<Way, number>>
  readonly slow: Readonly<Record<Way, number>>
  /** Of both groups, those that a flag or the environment holds. */
  readonly held: readonly `${Group} ${Way}`[]
}

async function readLimits(signal: AbortSignal): Promise<Limits> {
  const { settings } = await session.api.call('GET /settings/effective', { signal })
  const ofGroup = (section: string) => ({
    down: Number(settings[section]?.[OPTIONS.down]?.value ?? 0),
    up: Number(settings[section]?.[OPTIONS.up]?.value ?? 0),
  })
  const isHeld = (section: string, way: Way): boolean => {
    const source: EffectiveSettings[string][string]['source'] | undefined = settings[section]?.[OPTIONS[way]]?.source
    return source === 'flag' || source === 'environment'
  }
  return {
    usual: ofGroup('libtorrent'),
    slow: ofGroup('slow_mode'),
    held: WAYS.flatMap(way => [
      ...(isHeld('libtorrent', way) ? [`usual ${way}` as const] : []),
      ...(isHeld('slow_mode', way) ? [`slow ${way}` as const] : []),
    ]),
  }
}

/** Sends what was changed, and nothing else: another page may have changed the rest meanwhile. */
async function send(group: Group, changed: Partial<Record<Way, number>>): Promise<void> {
  const options = Object.fromEntries(WAYS.flatMap(way => (way in changed ? [[OPTIONS[way], changed[way]]] : [])))
  if (group === 'slow') await session.api.call('PATCH /slowmode', { parameters: options })
  else await session.api.call('POST /settings', { parameters: { libtorrent: options } })
}

interface GroupProps {
  readonly group: Group
  readonly limits: Limits
  readonly unit: RateUnit
  done(): void
}

/** Two limits that are set together. */
function LimitGroup({ group, limits, unit, done }: GroupProps) {
  const id = useId()
  const mark = decimalMark()
  const shown = (way: Way) => enteredRate(limits[group][way], unit, mark)
  const [entered, setEntered] = useState<Partial<Record<Way, string>>>({})
  const [wrong, setWrong] = useState<Way | null>(null)
  const isHeld = (way: Way) => limits.held.includes(`${group} ${way}`)
  const apply = async (values: Partial<Record<Way, string>>) => {
    const changed: Partial<Record<Way, number>> = {}
    for (const way of WAYS) {
      const value = values[way]
      if (value === undefined || value === shown(way) || isHeld(way)) continue
      const rate = rateOf(value, unit)
      if (rate === null) return setWrong(way)
      changed[way] = rate
    }
    setWrong(null)
    if (Object.keys(changed).length > 0 && !(await session.attempt(() => send(group, changed), text('saved')))) return
    setEntered({})
    done()
  }
  const held = WAYS.filter(isHeld).map(way => text(way))
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void apply(entered)
      }}
    >
      <fieldset aria-describedby={`${id}-help`}>
        <legend>{text(group)}</legend>
        <p id={`${id}-help`} class="help">
          {text(group === 'usual' ? 'usualHelp' : 'slowHelp')}
          {held.length > 0 && <strong> {text('held', { names: held.join(', ') })}</strong>}
        </p>
        <div class="limit-fields">
          {WAYS.map(way => (
            <label key={way} for={`${id}-${way}`}>
              <span>{text(way)}</span>
              <input
                id={`${id}-${way}`}
                inputMode="decimal"
                autocomplete="off"
                placeholder={text('noneIn')}
                disabled={isHeld(way)}
                aria-invalid={wrong === way}
                aria-describedby={wrong === way ? `${id}-wrong` : undefined}
                value={entered[way] ?? shown(way)}
                onInput={event => setEntered({ ...entered, [way]: event.currentTarget.value })}
              />
            </label>
          ))}
        </div>
        {wrong !== null && (
          <p id={`${id}-wrong`} class="fault" role="alert">
            {text('notRate')}
          </p>
        )}
        <div class="limit-actions">
          <button type="button" onClick={() => void apply({ down: '', up: '' })}>
            {text('noLimit')}
          </button>
          <button type="submit" class="primary">
            {text('set')}
          </button>
        </div>
      </fieldset>
    </form>
  )
}

/** What stands over the page: asked for when it is opened. */
function LimitSheet({ slow, sheet }: { slow: SlowMode; sheet: RefObject<HTMLDivElement | null> }) {
  const [unit, setUnit] = useState(() => rateUnit(readKept(localStorage, RATE_UNIT_NAME)))
  const { value, problem, refresh } = useAnswer(readLimits, [], 0)
  const choose = (other: RateUnit) => {
    keep(localStorage, RATE_UNIT_NAME, other.id)
    setUnit(other)
  }
  if (value === null) return <p class="muted">{problem}</p>
  const done = () => {
    refresh()
    sheet.current?.hidePopover()
  }
  return (
    <>
      <p role="status">{stateText(slow)}</p>
      <RateUnitChoice label={text('unit')} unit={unit} choose={choose} />
      {(['usual', 'slow'] as const).map(group => (
        <LimitGroup key={`${group} ${unit.id}`} group={group} limits={value} unit={unit} done={done} />
      ))}
    </>
  )
}

/** Slow mode at a click, and the limits behind another. Nothing where this key may not see them. */
export function Limits() {
  const id = useId()
  const sheet = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const { value: slow, refresh } = useAnswer(signal => session.api.call('GET /slowmode', { signal }), [], ASK_MS)
  useEffect(() => session.watchEvents(({ type }) => (type === 'slow_mode_changed' ? refresh() : undefined)), [])
  if (slow === null) return null
  const toggle = async () => {
    const parameters = { enabled: !slow.enabled }
    if (await session.attempt(() => session.api.call('PATCH /slowmode', { parameters }))) refresh()
  }
  const shown = (rate: number) => (rate > 0 ? plainRate(rate) : text('noneIn'))
  const now = text('now', { down: shown(slow.max_download_rate), up: shown(slow.max_upload_rate) })
  return (
    <div class="limits" role="group" aria-label={text('limits')}>
      <button
        type="button"
        class="quiet slow-toggle"
        aria-pressed={slow.enabled}
        title={slow.enabled ? `${stateText(slow)} ${now}` : stateText(slow)}
        onClick={() => void toggle()}
      >
        <Icon name="turtle" size={16} />
        {text('slowMode')}
        {slow.next_change !== null && (
          <span class="muted slow-until"> {text('until', { time: whenText(slow.next_change) })}</span>
        )}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={text('limits')}
        title={text('limits')}
        aria-expanded={open}
        popovertarget={id}
      >
        <Icon name="gear" size={16} />
      </button>
      <div
        ref={sheet}
        id={id}
        popover="auto"
        class="limit-sheet"
        role="dialog"
        aria-label={text('limits')}
        onToggle={event => setOpen(event.newState === 'open')}
      >
        {open && <LimitSheet slow={slow} sheet={sheet} />}
      </div>
    </div>
  )
}
